#!/usr/bin/env python3
"""VTK's own reader of VTKHDF sees a frame as h5py does, and known values at known points. The reader is that of
/usr/bin/python3 (python3-vtk9), and of the Python that EAGLE_VTK_PYTHON names. Skipped where there is none.

A flat frame is read by VTK 9.3 and later; earlier readers write beyond their memory for any flat image, so there NAME.xdmf
is what ParaView opens (test_xdmf.py)."""
import json
import os
import subprocess
import sys

import h5py
import numpy as np

from heat import check, end, frames_of_all_kinds, run

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_vtk.py")


def read(python, path, point):
    """None: this Python has no reader."""
    done = subprocess.run([python, READER, path, *map(str, point)], capture_output=True, text=True, timeout=100)
    if done.returncode == 77:
        return None
    check(done.returncode == 0, "%s on %s: status %d\n%s" % (python, path, done.returncode, done.stderr))
    return json.loads(done.stdout) if done.returncode == 0 else {"version": "0"}


def compare(seen, path):
    with h5py.File(path) as f:
        image = f["VTKHDF"]
        check(seen["cells"] == [int(n) + 1 for n in image.attrs["WholeExtent"][1::2]], path + ": cells")
        check(seen["origin"] == list(image.attrs["Origin"]), path + ": origin")
        check(seen["spacing"] == list(image.attrs["Spacing"]), path + ": spacing")
        check(set(seen["fields"]) == set(image["PointData"]), path + ": fields")
        for name, field in image["PointData"].items():
            values = np.array(seen["fields"].get(name, []))
            check(values.size == field.size and (values.reshape(field.shape) == field[...]).all(), path + ": " + name)


def compare_kind(python, path):
    with h5py.File(path) as f:
        point = list(f["VTKHDF"].attrs["Origin"])
    compare(read(python, path, point), path)


def test(python, solid, flat, kinds):
    """Gives whether there is a reader."""
    x, y, z = 0.00325, 0.0055, 0.014  # centre of cell 4 3 5
    seen = read(python, solid.frame_files()[0], (x, y, z))
    if seen is None:
        return False
    if "fields" not in seen:
        return True
    compare(seen, solid.frame_files()[0])
    for layout in "whole", "stride", "packed":
        compare_kind(python, kinds.frame_files(layout)[-1])
    known = 300 + 10000 * x + 1000 * y + 100 * z + 5e6 * x * y
    check(abs(seen["at"]["T"] - known) < 1e-9, "T at a known point: %r, not %r" % (seen["at"]["T"], known))
    if tuple(map(int, seen["version"].split(".")[:2])) < (9, 3):
        return True
    for path in flat.frame_files()[-1], flat.frame_files("materials")[-1]:
        compare(read(python, path, (0.0281, 0.0141, 0)), path)
    for layout in "slice", "plane", "line":
        compare_kind(python, kinds.frame_files(layout)[-1])
    k = read(python, flat.frame_files("materials")[-1], (0.0281, 0.0141, 0))["at"]["k"]
    check(k == 237, "k in the wire: %r, not that of aluminium" % k)
    return True


solid = run("../tests/app/frames_3d.ini", ranks=2)
flat = run("heat-2d.ini", "time.steps=4", "output.every=2", ranks=3)
pythons = [sys.executable] + [p for p in [os.environ.get("EAGLE_VTK_PYTHON")] if p]
kinds = frames_of_all_kinds(ranks=3)
tested = [python for python in pythons if test(python, solid, flat, kinds)]
if not tested:
    print("skipped: no vtkHDFReader; install python3-vtk9, or name a Python that has vtk in EAGLE_VTK_PYTHON")
    sys.exit(77)
end()
