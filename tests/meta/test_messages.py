#!/usr/bin/env python3
"""The words of errors: lower case first, no full stop at the end; banned functions; kernel files valid as C++.
Prints what is wrong, nothing else. The C++ compiler is the first argument."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BANNED = r"\b(sprintf|strcpy|strcat|atoi|rand|system|exit|abort)\s*\("
MAY_END_A_PROGRAM = {"src/base/error.c"}
CALL = re.compile(r'(?:eg_fail|eagle_fail|eg_refuse|eg_config_complain)\s*\(((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"(?:[^"\\]|\\.)*")*\))*)\)', re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def sources(*suffixes):
    for folder in ("src", "apps", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes:
                yield path


def message_faults():
    for path in sources(".c", ".cu"):
        text = path.read_text()
        for call in CALL.finditer(text):
            line = text.count("\n", 0, call.start()) + 1
            for piece in TEXT.findall(call.group(1)):
                if piece.endswith(".") and not piece.endswith("..."):
                    yield f"{path.relative_to(ROOT)}:{line}: a message ends with a full stop: \"{piece}\""


def banned_faults():
    for path in sources(".c", ".cu", ".h"):
        name = str(path.relative_to(ROOT))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = TEXT.sub('""', line.split("//")[0])
            if code.lstrip().startswith(("*", "/*")) or name in MAY_END_A_PROGRAM:
                continue
            found = re.search(BANNED, code)
            if found:
                yield f"{name}:{number}: '{found.group(1)}' is not used here"


def kernel_faults(compiler):
    """A laptop without nvcc must not break the GPU build: kernel files are C++ too."""
    kernels = [p for p in sources(".c") if p.name.endswith("kernels.c")]
    for path in kernels:
        for real, suffix in (("float", "_f32"), ("double", "_f64")):
            command = [compiler, "-x", "c++", "-std=c++17", "-fsyntax-only", f"-DEAGLE_REAL={real}",
                       f"-DEAGLE_SUFFIX={suffix}", "-DEAGLE_LEVEL=_v1", "-DEAGLE_BASELINE", f"-I{ROOT}/include",
                       f"-I{ROOT}/src", f"-I{path.parent}", str(path)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                yield f"{path.relative_to(ROOT)}: not valid C++ ({real}):\n{done.stderr}"


if __name__ == "__main__":
    faults = [*message_faults(), *banned_faults(), *kernel_faults(sys.argv[1] if len(sys.argv) > 1 else "g++")]
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)
