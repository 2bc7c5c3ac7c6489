#!/usr/bin/env python3
"""The layout of frames, as docs/files.md has it: check_frame.py FRAME... looks at those; from CTest, with EAGLE_HEAT and
MPIEXEC, at those of a run on each of 1 and 3 ranks. Prints what is wrong, nothing else."""
import os
import sys

import h5py
import numpy as np

FLOATS = (np.dtype("<f4"), np.dtype("<f8"))


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def image_faults(image):
    """Of the group VTKHDF; gives the cells too."""
    if list(image.attrs.get("Version", [])) != [1, 0]:
        yield "Version is not 1 0"
    kind = image.attrs.get_id("Type").get_type()
    if text(image.attrs["Type"]) != "ImageData" or kind.is_variable_str():
        yield "Type is not the text ImageData of a fixed length"
    extent = image.attrs["WholeExtent"]
    if extent.shape != (6,) or any(extent[::2] != 0) or any(extent[1::2] < 0):
        yield "WholeExtent is not 0 n-1 0 n-1 0 n-1"
    for name, n in ("Origin", 3), ("Spacing", 3), ("Direction", 9):
        value = image.attrs[name]
        if value.shape != (n,) or value.dtype != "<f8" or not np.isfinite(value).all():
            yield name + " is not %d numbers" % n
    if any(image.attrs["Spacing"] <= 0):
        yield "Spacing is not positive"
    if list(image.attrs["Direction"]) != [1, 0, 0, 0, 1, 0, 0, 0, 1]:
        yield "Direction is not that of the axes"
    if set(image) != {"PointData"}:
        yield "VTKHDF has other groups than PointData: " + " ".join(image)


def field_faults(image, units):
    cells = [int(n) + 1 for n in image.attrs["WholeExtent"][5::-2]]
    axes = [n for n in cells if n > 1] or [1]
    for name, field in image["PointData"].items():
        if list(field.shape[:len(axes)]) != axes or field.ndim > len(axes) + 1:
            yield "%s has the shape %s, not %s" % (name, field.shape, axes)
        if name not in units or not text(units[name]):
            yield name + " has no unit"
        if field.dtype in FLOATS and not np.isfinite(field[...]).all():
            yield name + " is not finite"
        if field.chunks is None and field.id.get_offset() is None:
            yield name + " has no place in the file"
    if len(image["PointData"]) == 0:
        yield "there are no fields"


def ours_faults(ours, path):
    step = int(os.path.basename(path).split(".")[1])
    if list(ours.attrs["step"]) != [step]:
        yield "step is not that of the name"
    if ours.attrs["time"].dtype != "<f8" or ours.attrs["time"].shape != (1,):
        yield "time is not one number"
    for name, expected in ("time_unit", "s"), ("length_unit", "m"):
        if text(ours.attrs[name]) != expected:
            yield "%s is not %s" % (name, expected)
    for name in "program", "version":
        if not text(ours.attrs[name]):
            yield "%s is empty" % name
    if ours.attrs["dims"][0] not in (1, 2, 3):
        yield "dims is not 1 to 3"


def faults(path):
    with h5py.File(path, "r") as f:
        if set(f) != {"VTKHDF", "eagle"}:
            yield "the groups are " + " ".join(f)
            return
        yield from image_faults(f["VTKHDF"])
        yield from field_faults(f["VTKHDF"], f["eagle/units"].attrs)
        yield from ours_faults(f["eagle"], path)
        axes = [axis for axis, n in zip("zyx", f["VTKHDF"].attrs["WholeExtent"][5::-2]) if n > 0]
        if text(f["eagle"].attrs["dimensions"]).split() != (axes or ["x"]):
            yield "dimensions are not " + " ".join(axes)


def run_faults():
    from heat import frames_of_all_kinds, run
    for source, ranks, settings in (("heat-2d.ini", 3, ()), ("heat-2d.ini", 1, ("output.compress=4", "output.precision=f32")),
                                    ("../tests/app/frames_3d.ini", 3, ())):
        done = run(source, "time.steps=4", "output.every=2", *settings, ranks=ranks)
        found = done.frame_files()
        if len(found) != 3:
            yield "%s: %d frames, not 3" % (source, len(found))
        for path in found + done.frame_files("materials"):
            yield from (path + ": " + fault for fault in faults(path))
    for path in frames_of_all_kinds(ranks=3).frame_files("*"):
        yield from (path + ": " + fault for fault in faults(path))


if __name__ == "__main__":
    frames = [a for a in sys.argv[1:] if a.endswith(".vtkhdf")]
    wrong = [path + ": " + fault for path in frames for fault in faults(path)] if frames else list(run_faults())
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    sys.exit(1 if wrong else 0)
