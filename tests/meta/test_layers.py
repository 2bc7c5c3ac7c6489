#!/usr/bin/env python3
"""The layers of src/, the libraries behind them, and how long functions and files are. Prints what is wrong, nothing else.

A file includes its own folder, folders with a smaller number, and eagle/*.h; a library is included by few files."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = {"base": 0, "graph": 1, "machine": 2, "exec": 3, "run": 4, "tools": 5}

# Library header -> the files that may include it (patterns below src/), and how many there may be.
VENDORS = {
    r"mpi\.h": [r"run/job\.h", r"run/context\.c", r"run/[a-z_]+\.[ch]"],
    r"hdf5\.h": [r"run/frame[a-z_]*\.[ch]", r"run/output[a-z_]*\.c", r"run/checkpoint[a-z_]*\.c"],
    r"hwloc.*\.h": [r"machine/[a-z_]+\.[ch]"],
    r"ini\.h": [r"run/config[a-z_]*\.c", r"base/ini\.c"],
    r"muParser.*\.h": [r"run/(expression|formula)[a-z_]*\.c"],
    r"(cuda|nvtx).*\.h": [r"exec/cuda[a-z_]*\.(c|cu|h)"],
    r"omp\.h": [r"exec/[a-z_]+\.c"],
    r"zlib\.h": [r"run/frame[a-z_]*\.c"],
}
LONGEST_FUNCTION = 70
LONGEST_FILE = 600
COUNTED = ("src", "include", "apps")


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cu"):
                yield path


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if found:
            yield number, found.group(1)


def layer_faults():
    for path in sources("src"):
        own = path.relative_to(ROOT / "src").parts[0]
        for number, name in includes(path):
            folder = name.split("/")[0]
            if folder in LAYERS and LAYERS[folder] > LAYERS[own]:
                yield f"{path.relative_to(ROOT)}:{number}: layer '{own}' includes '{name}', which is above it"
    for path in sources("apps", "examples"):
        for number, name in includes(path):
            if name.split("/")[0] in LAYERS:
                yield f"{path.relative_to(ROOT)}:{number}: an application includes '{name}', which is not public"


def vendor_faults():
    for path in sources("src", "include"):
        name_here = str(path.relative_to(ROOT / path.relative_to(ROOT).parts[0]))
        for number, name in includes(path):
            for vendor, allowed in VENDORS.items():
                if re.fullmatch(vendor, name) and not any(re.fullmatch(a, name_here) for a in allowed):
                    yield f"{path.relative_to(ROOT)}:{number}: only {', '.join(allowed)} may include '{name}'"


def functions(path):
    """Name, first and last line of each function, by ctags."""
    out = subprocess.run(["ctags", "-x", "--_xformat=%N %n %{end}", "--fields=+ne", "--kinds-C=f", "--kinds-CUDA=f",
                          str(path)], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[2].isdigit():
            yield parts[0], int(parts[1]), int(parts[2])


def length_faults():
    for path in sources(*COUNTED):
        lines = len(path.read_text().splitlines())
        if lines > LONGEST_FILE:
            yield f"{path.relative_to(ROOT)}: {lines} lines; a file decides one thing in at most {LONGEST_FILE}"
        if path.suffix == ".h":
            continue
        for name, first, last in functions(path):
            if last - first + 1 > LONGEST_FUNCTION:
                yield f"{path.relative_to(ROOT)}:{first}: '{name}' has {last - first + 1} lines, at most {LONGEST_FUNCTION}"


def longest_functions(count):
    found = [(last - first + 1, name, path.relative_to(ROOT))
             for path in sources(*COUNTED) if path.suffix != ".h" for name, first, last in functions(path)]
    for length, name, path in sorted(found, reverse=True, key=lambda f: f[0])[:count]:
        print(f"{length:4d}  {name}  {path}")


if __name__ == "__main__":
    if "--longest" in sys.argv:
        longest_functions(20)
        sys.exit(0)
    faults = [*layer_faults(), *vendor_faults(), *length_faults()]
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)
