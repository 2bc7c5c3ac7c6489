"""Inputs that are wrong for eagle-heat: each ends with status 2 and says what to do. And a material map."""
import os

import numpy as np

from heat import UNIT, WHERE, check, end, run

BOX = """[grid]
cells = 16 8
lower = 0 0
length = 16 8
[edges]
x = mirror
y = mirror
[time]
steps = 2
[output]
every = 2
[material.a]
k = 1
rho = 1
c = 1
[material.b]
k = 7
rho = 1
c = 1
"""

WRONG = [
    ("unknown material", BOX + "[box.chip]\nlower = 0 0\nupper = 4 4\nmaterial = tin\n", [],
     "'chip' names 'tin', which is not a material"),
    ("a box between the centres", BOX + "[box.thin]\nlower = 1.6 0\nupper = 2.4 8\npower = 1\n", [],
     "'thin' covers no cell"),
    ("a disc outside", BOX + "[disc.far]\ncentre = 99 0\nradius = 2\nmaterial = b\n", [], "'far' covers no cell"),
    ("even stages", BOX, ["time.scheme=rkl2", "time.stages=4"], "time.stages is 4"),
    ("a conductivity of nothing", BOX, ["material.a.k=0"], "material.a.k"),
    ("unstable", BOX, ["time.dt=0.26"], "0.25"),
    ("unstable with rkl2", BOX, ["time.scheme=rkl2", "time.stages=3", "time.dt=0.7"], "0.625"),
    ("a wall that has no answer", BOX, ["verify.case=wall"], "verify.case = wall has no answer"),
    ("a missing map", BOX, ["map.file=nowhere.raw"], "nowhere.raw"),
]
for name, text, settings, message in WRONG:
    done = run(text, *settings, status=2)
    check(message in done.text, "%s: %s" % (name, done.text))

# A map of the wrong size names both sizes; a value without a name is refused; a right one gives the same as boxes.
cells = np.zeros((8, 16), np.uint8)
cells[2:5, 3:9] = 1
for name, data in ("short.raw", cells[:7]), ("high.raw", cells * 2), ("right.raw", cells):
    data.tofile(os.path.join(WHERE, name))
MAP = "[map]\nfile = %s\nmaterials = a b\n"
short = run(BOX + MAP % "short.raw", status=2)
check("112 bytes" in short.text and "16 x 8 x 1 = 128 cells" in short.text, "a map of the wrong size: " + short.text)
check("has the value 2" in run(BOX + MAP % "high.raw", status=2).text, "a value without a material")
mapped = run(BOX + MAP % "right.raw", "output.fields=k q", ranks=3).field("k").reshape(8, 16)
check((mapped == np.where(cells == 1, 7, 1)).all(), "the materials of a map")

# Without a material all is copper.
bare = run(BOX.split("[material.a]")[0], "model.kernel=general", "output.fields=k rho_c")
check((bare.field("k") == 401).all() and (bare.field("rho_c") == 8933 * 385).all(), "the material of an input without one")

# Later parts win; power is spread over the cells of its part whatever they are made of, and is exact in sum.
PARTS = """[layer.top]
material = b
axis = y
lower = 4
upper = 8
[box.hole]
material = a
lower = 4 4
upper = 8 8
power = 10
[disc.rod]
material = b
centre = 6 6
radius = 1.2
power = -3
"""
parts = run(BOX + PARTS, "output.fields=k q", ranks=2)
k, q = parts.field("k").reshape(8, 16), parts.field("q").reshape(8, 16)
expected = np.ones((8, 16))
expected[4:] = 7
expected[4:, 4:8] = 1
expected[5:7, 5:7] = 7
check((k == expected).all(), "layers, boxes and discs in the order of the input")
check(abs(q.sum() - 7) < 1e-13 and abs(q[5:7, 5:7].sum() - (4 * 10 / 16 - 3)) < 1e-13, "power of parts: %r" % q.sum())
end()
