"""The same run on 1 to 4 ranks, and with more threads, gives the same frames and history to the last bit."""
import os
import shutil
import subprocess

from heat import check, end, run, same_bits

QUICK = {"heat-2d.ini": ["time.scheme=euler", "time.steps=120", "output.every=40", "history.every=20",
                         "check.every=20", "output.materials.every=120"],
         "heat.ini": ["grid.cells=32 32 16", "time.end=0.05", "output.interval=0.02", "history.every=2",
                      "check.every=2", "time.stages=9"]}


def history(result):
    with open(os.path.join(result.directory, "history.txt")) as f:
        return [line for line in f if not line.startswith("#")]


def compare(source, settings, what, one, other):
    same, text = same_bits(one, other)
    check(same, "%s %s: frames of 1 rank and of %s differ\n%s" % (source, settings, what, text))
    check(history(one) == history(other), "%s %s: histories of 1 rank and of %s differ" % (source, settings, what))
    check(len(one.frame_files()) > 1, "%s %s: no frames" % (source, settings))
    if shutil.which("h5diff") is None: return
    for a, b in zip(one.frame_files(), other.frame_files()):
        done = subprocess.run(["h5diff", "-p", "0", a, b, "/VTKHDF", "/VTKHDF"], capture_output=True, text=True)
        check(done.returncode == 0 and not done.stdout, "%s: h5diff finds differences with %s" % (source, what))


for source, settings in QUICK.items():
    for precision in "f64", "f32":
        words = settings + ["run.precision=" + precision]
        one = run(source, *words)
        for ranks in 2, 3, 4:
            compare(source, precision, "%d ranks" % ranks, one, run(source, *words, ranks=ranks))
        compare(source, precision, "2 threads", one, run(source, *words, "run.threads=2"))

# The comparison can fail: one more watt is another run.
one = run("heat-2d.ini", *QUICK["heat-2d.ini"])
check(not same_bits(one, run("heat-2d.ini", *QUICK["heat-2d.ini"], "box.chip.power=901"))[0], "eagle-compare is blind")
end()
