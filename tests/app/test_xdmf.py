#!/usr/bin/env python3
"""ParaView's reader Xdmf3 opens the list of frames of a run in two and in three dimensions: all times, all fields, the
values and places that h5py sees. Skipped without pvpython."""
import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

from heat import WHERE, check, end, run

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_xdmf.py")
PVPYTHON = shutil.which("pvpython")


def read(path):
    out = os.path.join(WHERE, "seen.json")
    done = subprocess.run([PVPYTHON, READER, path, out], capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, "pvpython on %s: status %d\n%s" % (path, done.returncode, done.stderr))
    if done.returncode != 0:
        return []
    with open(out) as f:
        return json.load(f)


def bounds(image):
    first, spacing = image.attrs["Origin"], image.attrs["Spacing"]
    last = first + spacing * image.attrs["WholeExtent"][1::2]
    return [v for pair in zip(first, last) for v in pair]


def compare(seen, path):
    with h5py.File(path) as f:
        image = f["VTKHDF"]
        check(seen["time"] == f["eagle"].attrs["time"][0], path + ": time")
        check(seen["cells"] == [int(n) + 1 for n in image.attrs["WholeExtent"][1::2]], path + ": cells")
        check(np.allclose(seen["bounds"], bounds(image), rtol=1e-12, atol=0), path + ": bounds")
        check(set(seen["fields"]) == set(image["PointData"]), path + ": fields")
        for name, field in image["PointData"].items():
            values = np.array(seen["fields"].get(name, []))
            check(values.size == field.size and (values.reshape(field.shape) == field[...]).all(), path + ": " + name)


def test(done, output, n):
    frames = done.frame_files(output)
    seen = read(os.path.join(done.directory, "frames", output + ".xdmf"))
    check(len(frames) == n and len(seen) == n, "%s: %d times of %d frames, not %d" % (output, len(seen), len(frames), n))
    for one, path in zip(seen, frames):
        compare(one, path)


if PVPYTHON is None:
    print("skipped: no pvpython; install paraview and python3-paraview")
    sys.exit(77)
test(run("../tests/app/frames_3d.ini", ranks=2), "fields", 3)
flat = run("heat-2d.ini", "time.steps=8", "output.every=2", "output.region=2 mm 2 mm 30 mm 12 mm", "output.stride=2 1",
           "output.precision=f32", ranks=3)
test(flat, "fields", 5)
test(flat, "materials", 2)
end()
