"""Known answers, on 1 and 4 ranks: the table of --verify, and figures that are written here as numbers."""
import numpy as np

from heat import UNIT, check, end, run

# 1. The table: sine, wall, closed box, ISO 10211.
run("heat-sine.ini", options=["--verify"])

# 2. The decay of a mode: the numbers are those of the scheme, not of the continuum.
MODE = """[grid]
cells = 64 4
lower = 0 0
length = 1 0.0625
[edges]
x = fixed 0
y = mirror
[initial]
T = sin(pi*x)
[time]
dt = 6.103515625e-5
steps = 1638
[output]
every = 1638
""" + UNIT
x = (np.arange(64) + 0.5) / 64
for ranks in 1, 4:
    one = run(MODE, ranks=ranks).field("T").reshape(4, 64)
    check(np.abs(one / np.sin(np.pi * x) / 0.37276072081347206 - 1).max() < 1e-12, "1-D mode on %d ranks" % ranks)
    two = run("heat-sine.ini", ranks=ranks).field("T").reshape(64, 64)
    mode = np.outer(np.sin(np.pi * x), np.sin(np.pi * x))
    check(np.abs(two / mode / 0.3726043963656366 - 1).max() < 1e-12, "2-D mode on %d ranks" % ranks)

# 3. ISO 10211 case 1, which fails when a side is at another temperature.
run("heat-iso10211.ini", ranks=4)
run("heat-iso10211.ini", "edges.y_upper=fixed 21", status=3)

# 4. The Fourier series of the same square, at the centre of it: a quarter of 20 by symmetry.
square = run("heat-iso10211.ini").field("T").reshape(64, 64)
check(abs(square[31:33, 31:33].mean() - 5) < 1e-6, "the centre of a square with one warm side")

# 5. Single precision: the same inputs, the tolerances of floats.
run("heat-sine.ini", "run.precision=f32", ranks=2)
run("heat-iso10211.ini", "run.precision=f32")
end()
