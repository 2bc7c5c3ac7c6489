"""The energy check: quiet where the scheme keeps its balance, loud beyond the tolerance; heat in is heat out."""
import numpy as np

from heat import UNIT, check, end, run

# Every kind of edge, every kind of part, both schemes and precisions: the check runs at every step and holds.
for scheme in "euler", "rkl2":
    for precision in "f64", "f32":
        done = run("heat-2d.ini", "time.scheme=" + scheme, "time.steps=100", "check.every=1", "history.every=10",
                   "run.precision=" + precision, ranks=2)
        h = done.history()
        check(np.nanmax(np.abs(h["imbalance"])) > 0, "%s %s: the imbalance is rounding, not nothing" % (scheme, precision))

# A tolerance below rounding: exit 3, with the step and both figures.
loud = run("heat-2d.ini", "check.tolerance=1e-30 J", status=3)
check("step 0 stored" in loud.text and "make time.dt smaller" in loud.text, "the message of the check: " + loud.text)

# A package in its steady state: what the blocks make is what the top gives away.
steady = run("heat.ini", "grid.cells=32 32 16", "time.stages=51", "time.end=30", "output.interval=30", ranks=2)
h = steady.history()
check(abs(h["heat_z_upper"][-1] / 85 + 1) < 1e-6, "heat in and out: %r" % h["heat_z_upper"][-1])
hottest = max(v[-1] for n, v in h.items() if n.startswith("T_max."))
check(abs(h["resistance"][-1] - (hottest - 300) / 85) < 1e-12, "the thermal resistance: %r" % h["resistance"][-1])

# A slab between a flux and a fluid: T at the surface is T_inf + q/h, and rises by q L/k across it.
SLAB = """[grid]
cells = 16 4
lower = 0 0
length = 1 0.25
[edges]
x_lower = flux 30
x_upper = convection 5 290
y = mirror
[initial]
T = 310
[time]
scheme = rkl2
stages = 15
end = 20
[output]
interval = 20
[check]
every = 10
""" + UNIT
for kernel in "auto", "general":
    T = run(SLAB, "model.kernel=" + kernel).field("T").reshape(4, 16)
    x = (np.arange(16) + 0.5) / 16
    check(np.abs(T - (290 + 30 / 5 + 30 * (1 - x))).max() < 1e-9, "a slab, model.kernel = %s" % kernel)
end()
