"""Steps whose length the device decides, in runs of a small application (burgers.c), against the same steps in Python to the
last bit: the times of steps, of outputs and of the end, on any number of ranks, after a restart. Called as TEST.py BURGERS
MPIEXEC BACKEND. Prints nothing when it passes; 77: the backend is not there."""
import atexit
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

BURGERS, MPIEXEC, BACKEND = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
WHERE = tempfile.mkdtemp(prefix="eagle-varying-")
atexit.register(shutil.rmtree, WHERE, True)
os.chdir(WHERE)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1")
failures = 0
NX, NY, CFL, END, INTERVAL = 24, 6, 0.7, 0.33, 0.05

INPUT = f"""[grid]
cells = {NX} {NY}
length = 1 0.5
[edges]
x = periodic
y = periodic
[time]
end = {END}
cfl = {CFL}
[output]
interval = {INTERVAL}
[history]
every = 1
[check]
every = 7
[run]
backend = {BACKEND}
"""


def check(holds, text):
    global failures
    if not holds:
        failures += 1
        print("failed:", text, file=sys.stderr)


def burgers(*words, ranks=1):
    launcher = [MPIEXEC, "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*launcher, BURGERS, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


def history(directory):
    with open(os.path.join(directory, "history.txt")) as f:
        return f.read()


def rows(directory):
    lines = history(directory).splitlines()
    names = lines[0][1:].split()
    return [dict(zip(names, map(float, line.split()))) for line in lines[1:]]


def frames(directory):
    return sorted(int(name[-15:-7]) for name in glob.glob(os.path.join(directory, "frames", "*.vtkhdf")))


def report(directory):
    with open(os.path.join(directory, "report.json")) as f:
        return json.load(f)


def stop_after(t, interval, end):
    return min(end, (int(t / interval + 1e-9) + 1) * interval) if interval else end


def model(end=END, interval=INTERVAL, most=0.0, every=1, steps=None):
    """Step, time and largest u of each row, and the steps at which a frame is due."""
    h = 1.0 / NX
    centre = [(i + 0.5) * h for i in range(NX)]
    u = [[1.0 + 3 * x * (1 - x) * (1 + j % 2) for x in centre] for j in range(NY)]
    t, wanted, allowed, step, found, due = 0.0, CFL * (0.125 * h), None, 0, [], [0]
    if most:
        wanted = most
    while True:
        found.append((step, t, max(map(max, u))))
        if t >= end or step == steps:
            return found, due
        stop = stop_after(t, interval, end)
        lands = wanted * (1 + 1e-9) >= stop - t
        dt = stop - t if lands else wanted
        c = dt / h
        u = [[r[i] - c * (0.5 * r[i] * r[i] - 0.5 * r[i - 1] * r[i - 1]) for i in range(NX)] for r in u]
        if step % every == 0:
            allowed = min(h / value for r in u for value in r)
        t, step, wanted = stop if lands else t + dt, step + 1, CFL * allowed
        if most:
            wanted = min(wanted, most)
        if lands:
            due.append(step)


def same_as(directory, found):
    got = [(int(r["step"]), r["time[s]"], r["u_max[m/s]"]) for r in rows(directory)]
    check(got == found, "%s: %d rows, expected %d: %s, expected %s" % (
        directory, len(got), len(found), [a for a, b in zip(got, found) if a != b][:2],
        [b for a, b in zip(got, found) if a != b][:2]))


with open("burgers.ini", "w") as f:
    f.write(INPUT)
code, out, err = burgers("burgers.ini", "--run-dir", "try", "time.steps=1", "time.end=none")
if code == 5 and BACKEND == "cuda":
    print("SKIPPED:", err)
    sys.exit(77)

# --- every step, frames at multiples of the interval, the end ---------------------------------------------------------
found, due = model()
check(len({b[1] - a[1] for a, b in zip(found, found[1:])}) > 10, "the steps of the model vary")
RANKS = (1, 2, 3, 4) if BACKEND == "host" else (1,)
for ranks in RANKS:
    code, out, err = burgers("burgers.ini", "--run-dir", "r%d" % ranks, ranks=ranks)
    check(code == 0 and "dt varies from step to step" in out, "%d ranks: %s%s" % (ranks, out, err))
    same_as("r%d" % ranks, found)
    check(frames("r%d" % ranks) == due, "frames %s, expected %s" % (frames("r%d" % ranks), due))
    r = report("r%d" % ranks)
    check(r["steps"] == found[-1][0] and r["t_s"] == END, "report: %s" % r)
    check(history("r%d" % ranks) == history("r1"), "%d ranks: all columns of the history" % ranks)

# --- long bursts: nothing is due but the end, so that steps beyond it are void ----------------------------------------
with open("long.ini", "w") as f:
    f.write(INPUT.replace("interval = %s" % INTERVAL, "every = 1000000").replace("every = 1\n", "every = 1000000\n"))
found, due = model(end=5.01, interval=0)
for ranks in RANKS[:2]:
    code, out, err = burgers("long.ini", "--run-dir", "long%d" % ranks, "time.end=5.01", ranks=ranks)
    got = rows("long%d" % ranks)
    check(code == 0 and len(got) == 2, "a long run: %s" % err)
    check((int(got[1]["step"]), got[1]["time[s]"], got[1]["u_max[m/s]"]) == found[-1], "its end: %s, expected %s" % (
        got[1], found[-1]))
    check(frames("long%d" % ranks) == [0, found[-1][0]], "its frames: %s" % frames("long%d" % ranks))

# --- rows and frames by themselves, a longest dt, steps, lengths of every third step ----------------------------------
found, due = model(interval=0.1)
code, out, err = burgers("burgers.ini", "--run-dir", "both", "output.interval=0.1", "history.every=5")
check([int(r["step"]) for r in rows("both")][:-1] == list(range(0, found[-1][0], 5)), "rows every 5 steps: %s" % err)
check(frames("both") == due, "frames every 0.1 s")
found, due = model(most=0.004)
code, out, err = burgers("burgers.ini", "--run-dir", "most", "time.dt=0.004")
same_as("most", found)
found, due = model(end=1e9, steps=30)
code, out, err = burgers("burgers.ini", "--run-dir", "steps", "time.end=none", "time.steps=30")
same_as("steps", found)
found, due = model(every=3)
code, out, err = burgers("burgers.ini", "--run-dir", "third", "pace.every=3")
same_as("third", found)

# --- a checkpoint between two lengths, and one at an output ------------------------------------------------------------
for ranks in RANKS[::2]:
    code, out, err = burgers("burgers.ini", "--run-dir", "first", "pace.every=3", "checkpoint.every=11", "checkpoint.keep=100")
    check(code == 0 and history("first") == history("third"), "checkpoints change nothing: %s" % err)
    for step in (11, 22):
        code, out, err = burgers("--restart", str(step), "--run-dir", "first", ranks=ranks)
        check(code == 0 and history("first") == history("third"), "restart at %d: %s" % (step, err))
        check(frames("first") == due, "frames after a restart: %s" % frames("first"))

# --- what is wrong -----------------------------------------------------------------------------------------------------
for words, status, message in [
        (["pace.set=no"], 2, "eagle_dt_plane was called, but the step does not call eagle_set_dt"),
        (["pace.plane=no"], 2, "the step calls eagle_set_dt, but eagle_dt_plane was not called"),
        (["start.least=-1"], 3, "graph 'step': dt of step 1 is -")]:
    for ranks in RANKS[:2]:
        code, out, err = burgers("burgers.ini", "--run-dir", "wrong", *words, ranks=ranks)
        check(code == status and err.count(message) == 1, "%s: exit status %d\n%s" % (words, code, err))
sys.exit(1 if failures else 0)
