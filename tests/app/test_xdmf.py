#!/usr/bin/env python3
"""ParaView's readers Xdmf3 and Xdmf (2) open the list of frames of a run in one to three dimensions: all times, all fields,
vectors and other numbers, the values and places that h5py sees. Skipped without pvpython."""
import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

from heat import WHERE, check, end, frames_of_all_kinds, run

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_xdmf.py")
PVPYTHON = shutil.which("pvpython")


def read(paths):
    out = os.path.join(WHERE, "seen.json")
    done = subprocess.run([PVPYTHON, READER, out, *paths], capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, "pvpython: status %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
    if done.returncode != 0:
        end()
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


def list_of(done, output):
    return os.path.join(done.directory, "frames", output + ".xdmf")


def test(lists):
    """Of each: a run, an output of it, and how many frames that has."""
    seen = read([list_of(done, output) for done, output, _ in lists])
    for done, output, n in lists:
        frames = done.frame_files(output)
        for reader, times in seen[list_of(done, output)].items():
            check(len(frames) == n and len(times) == n,
                  "%s, reader %s: %d times of %d frames, not %d" % (output, reader, len(times), len(frames), n))
            for one, path in zip(times, frames):
                compare(one, path)


if PVPYTHON is None:
    print("skipped: no pvpython; install paraview and python3-paraview")
    sys.exit(77)
solid = run("../tests/app/frames_3d.ini", ranks=2)
flat = run("heat-2d.ini", "time.steps=8", "output.every=2", "output.region=2 mm 2 mm 30 mm 12 mm", "output.stride=2 1",
           "output.precision=f32", ranks=3)
kinds = frames_of_all_kinds(ranks=3)
test([(solid, "fields", 3), (flat, "fields", 5), (flat, "materials", 2)] +
     [(kinds, layout, 2) for layout in ("whole", "stride", "packed", "slice", "plane", "line", "point")])
end()
