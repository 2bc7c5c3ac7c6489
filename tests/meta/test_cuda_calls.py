#!/usr/bin/env python3
"""Every function of CUDA's runtime that src/exec calls is in tests/run/cuda_calls.h: counted, or told to be harmless.
Prints what is wrong, nothing else."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
known = set(re.findall(r"\bcuda[A-Z]\w+", (ROOT / "tests/run/cuda_calls.h").read_text()))
faults = []
for path in sorted((ROOT / "src/exec").glob("cuda*")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in re.findall(r"\b(cuda[A-Z]\w+)\(", line):
            if name not in known:
                faults.append(f"{path.relative_to(ROOT)}:{number}: '{name}' is not in tests/run/cuda_calls.h\n"
                              "  fix: count it there if a replay may not call it")
print("\n".join(faults), end="\n" if faults else "", file=sys.stderr)
sys.exit(1 if faults else 0)
