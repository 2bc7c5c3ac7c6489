"""The observed order of convergence: 2 in space for both schemes, 1 and 2 in time."""
import numpy as np

from heat import UNIT, check, end, run


def order(errors):
    return [np.log2(a / b) for a, b in zip(errors, errors[1:])]


# In space: a steady solution with a source and a conductivity that vary. One axis is periodic, one has a fixed and a
# mirror edge. T = sin(pi x/2) cos(2 pi y), k = 1 + x (1 - x/2) / 2: dk/dx = (1 - x)/2.
SPACE = """[grid]
cells = %d %d
lower = 0 0
length = 1 1
[edges]
x_lower = fixed 0
x_upper = mirror
y = periodic
[model]
kernel = general
[initial]
T = sin(pi*x/2)*cos(2*pi*y)
k = 1 + x*(1 - x/2)/2
q = (1 + x*(1 - x/2)/2)*17/4*pi^2*sin(pi*x/2)*cos(2*pi*y) - (1 - x)/2*pi/2*cos(pi*x/2)*cos(2*pi*y)
rho_c = 1
[time]
scheme = %s
stages = %d
end = 3
[output]
interval = 3
""" + UNIT


def space_error(n, scheme, stages):
    T = run(SPACE % (n, n, scheme, stages)).field("T").reshape(n, n)
    x = (np.arange(n) + 0.5) / n
    return np.sqrt(np.mean((T - np.outer(np.cos(2 * np.pi * x), np.sin(np.pi * x / 2))) ** 2))


for scheme, stages in ("euler", 3), ("rkl2", 9):
    orders = order([space_error(n, scheme, stages) for n in (16, 32, 64)])
    check(abs(orders[-1] - 2) < 0.02, "%s: order %s in space" % (scheme, orders))

# r = 1/6 with one axis: the errors of Euler in space and time cancel, and the order is four.
SHARP = """[grid]
cells = %d 2
lower = 0 0
length = 1 %.17g
[edges]
x = %s
y = periodic
[initial]
T = %s
[time]
dt = %.17g
steps = %d
[output]
every = %d
""" + UNIT

for edge, mode, shape in (("fixed 0", "sin(pi*x)", np.sin), ("mirror", "cos(pi*x)", np.cos)):
    errors = []
    for n in (8, 16, 32):
        steps = 6 * n * n // 32
        T = run(SHARP % (n, 2 / n, edge, mode, 1 / (6 * n * n), steps, steps)).field("T").reshape(2, n)[0]
        exact = np.exp(-np.pi ** 2 / 32) * shape(np.pi * (np.arange(n) + 0.5) / n)
        errors.append(np.sqrt(np.mean((T - exact) ** 2)))
    check(abs(order(errors)[-1] - 4) < 0.05, "%s: order %s at r = 1/6" % (edge, order(errors)))

# In time, against what the grid's own mode does: exp(-lambda t).
TIME = """[grid]
cells = 16 16
lower = 0 0
length = 1 1
[edges]
x = fixed 0
y = fixed 0
[initial]
T = sin(pi*x)*sin(pi*y)
[time]
scheme = %s
stages = 9
dt = %.17g
steps = %d
[output]
every = %d
""" + UNIT
rate = 2 * (2 * 16 * np.sin(np.pi / 32)) ** 2


def time_error(scheme, steps, end_s):
    T = run(TIME % (scheme, end_s / steps, steps, steps)).field("T").reshape(16, 16)
    return abs(T[8, 8] / np.sin(np.pi * 8.5 / 16) ** 2 - np.exp(-rate * end_s))


for scheme, expected, first in ("euler", 1, 100), ("rkl2", 2, 8):
    orders = order([time_error(scheme, first * 2 ** i, 0.08) for i in range(4)])
    check(abs(orders[-1] - expected) < 0.1, "%s: order %s in time" % (scheme, orders))
end()
