"""heat.ini as it is, on 4 ranks: it ends because the state is steady, and then heat in is heat out."""
from heat import check, end, run

package = run("heat.ini", ranks=4)
check("the state is steady" in package.text, package.text[-600:])
h = package.history()
check(abs(h["heat_z_upper"][-1] / 85 + 1) < 1e-6, "85 W in, %r W out" % h["heat_z_upper"][-1])
check(h["T_max.core0"][-1] == max(v[-1] for n, v in h.items() if n.startswith("T_max.")), "core0 is the hottest")
check(abs(h["resistance"][-1] - 0.5868) < 1e-4, "the thermal resistance: %r" % h["resistance"][-1])
end()
