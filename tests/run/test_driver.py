"""The driver, as a user meets it, by a small application (toy.c): command line, inputs that are wrong, failures of one rank,
directories, progress, report. Called as TEST.py TOY MPIEXEC. Prints nothing when it passes."""
import atexit
import glob
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile

TOY, MPIEXEC = os.path.abspath(sys.argv[1]), sys.argv[2]
WHERE = tempfile.mkdtemp(prefix="eagle-driver-")
atexit.register(shutil.rmtree, WHERE, True)
os.chdir(WHERE)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1")
failures = 0

INPUT = """[grid]
cells = 12 8
length = 1 1
[time]
dt = 0.01
steps = 40
[output]
every = 20
[history]
every = 10
[check]
every = 5
"""


def check(holds, text):
    global failures
    if not holds:
        failures += 1
        print("failed:", text, file=sys.stderr)


def toy(*words, ranks=1, timeout=100):
    """Status, standard output, standard error. One rank is started without a launcher, which takes less time."""
    launcher = [MPIEXEC, "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*launcher, TOY, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def write(name, text):
    with open(name, "w") as f:
        f.write(text)
    return name


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def expect(name, words, status, message, ranks=1):
    """A run that ends with this status and says this once."""
    code, out, err = toy(*words, ranks=ranks)
    check(code == status, "%s: exit status %d, expected %d\n%s%s" % (name, code, status, out, err))
    check(err.count(message) == 1, "%s: expected once: %s\n%s" % (name, message, err))
    return out, err


# --- the command line -------------------------------------------------------------------------------------------------
toy_ini = write("toy.ini", INPUT)
code, out, err = toy("--version")
check(code == 0 and out.startswith("toy (eagle ") and err == "", "--version: " + out)
check(toy("--version", ranks=3)[1] == out, "--version of three ranks is said once")
code, out, err = toy("--help")
check(code == 0 and "usage: toy" in out and "--run-dir" in out, "--help: " + out)
check("decay.rate" in toy("--help", "decay.rate")[1], "--help of a key")
check("rate" in toy("--help", "decay")[1], "--help of a section")
code, out, err = toy("--list-keys")
check(code == 0, "--list-keys")
check(toy(write("all.ini", out), "--run-dir", "all")[0] == 0, "the output of --list-keys runs")
expect("help of nothing", ["--help", "nothing"], 2, "there is no section or key 'nothing'")
expect("no input", [], 2, "no input file is given")
expect("two inputs", [toy_ini, toy_ini], 2, "'toy.ini' is a second input file")
expect("an option", ["--chek", toy_ini], 2, "there is no option '--chek'\n  fix: write --check\n")
expect("an option that is not there", ["--trace", "x", toy_ini], 2, "there is no option '--trace'")
for i in range(5):  # rank 0 is heard, whichever rank ends first
    expect("an option on three ranks", ["--chek", toy_ini], 2, "there is no option '--chek'", ranks=3)
expect("help of nothing, on three ranks", ["--help", "nothing"], 2, "there is no section or key 'nothing'", ranks=3)
expect("no value", [toy_ini, "--run-dir"], 2, "--run-dir needs a value: DIR")
expect("no value before an option", ["--run-dir", "--check", toy_ini], 2, "--run-dir needs a value: DIR")
expect("no ranks", ["--check", "--ranks", "none", toy_ini], 2, "'none' is no number of ranks")
check(not os.path.exists("toy"), "nothing of this runs")

# --- inputs that are wrong --------------------------------------------------------------------------------------------
WRONG = [
    ("a missing file", ["missing.ini"], 2, "missing.ini: error: No such file or directory"),
    ("an unknown key", [toy_ini, "time.stepz=5"], 2, "unknown key 'stepz' in [time]\n  fix: write steps"),
    ("a wrong unit", [toy_ini, "time.dt=3 m"], 2, "'time.dt' has the unit 'm', expected 's'"),
    ("no cells", [toy_ini, "grid.cells=0 5"], 2, "'grid.cells' is 0, it must be between 1 and"),
    ("part of a cell", [toy_ini, "grid.cells=2.5 5"], 2, "'grid.cells' has 2.5 along x"),
    ("a negative dt", [toy_ini, "time.dt=-1"], 2,
     "'time.dt' is -1, it must be above 0\n  fix: choose a value above 0 s, or auto"),
    ("no dt", [toy_ini, "time.dt=0"], 2, "'time.dt' is 0, it must be above 0"),
    ("a negative end", [toy_ini, "time.end=-1", "time.steps=none"], 2, "'time.end' is -1, it must be at least 0"),
    ("two ends", [toy_ini, "time.end=1"], 2, "time.end and time.steps are both set"),
    ("no end", [toy_ini, "time.steps=none"], 2, "nothing says when the run ends"),
    ("an end far away", [toy_ini, "time.steps=none", "time.end=1e30"], 2, "time.end is 1e+32 steps of 0.01 s away"),
    ("an unstable dt", [toy_ini, "time.dt=0.2"], 2, "time.dt is 0.2 s, above the largest stable step"),
    ("no extent", [toy_ini, "grid.length=none", "grid.upper=1 0"], 2, "the grid has no extent along y"),
    ("two extents", [toy_ini, "grid.upper=1 1"], 2, "grid.upper and grid.length are both set"),
    ("ranks that do not fit", [toy_ini, "run.ranks=5 1"], 2,
     "cannot stand as 5 x 1\n  fix: leave it out, or write run.ranks = "),
    ("part of a rank", [toy_ini, "run.ranks=1.5 1"], 2, "'run.ranks' has 1.5 along x"),
    ("a transport", [toy_ini, "comm.transport=pigeon"], 2, "it must be one of: auto | self | mpi"),
    ("an edge", [toy_ini, "edges.x=miror"], 2, "'miror' is no kind of edge\n  fix: write 'mirror'"),
    ("a value of an edge", [toy_ini, "edges.x=held 3 K 2 kg"], 2, "'kg' is left over behind the values of 'held'"),
    ("too few values", [toy_ini, "edges.x=held 3 K"], 2, "value 2 of 'held' is not a number with unit s"),
    ("too many values", [toy_ini, "edges.x=mirror 1"], 2, "'1' is left over behind the values of 'mirror'"),
    ("half periodic", [toy_ini, "edges.x_lower=periodic"], 2, "axis x is periodic on one side or for some fields only"),
    ("an expression", [toy_ini, "initial.u=1 +"], 2, "the formula ends too early at position 4 of '1 +'"),
    ("a backend", [toy_ini, "run.backend=cude"], 2, "'run.backend' is 'cude'"),
]
for name, words, status, message in WRONG:
    expect(name, words, status, message)
for name, words, status, message in WRONG[1], WRONG[11]:
    expect(name + ", three ranks", words, status, message, ranks=3)
out, err = expect("several at once", [toy_ini, "time.dt=-1", "edges.x=wal", "grid.cells=2.5 5", "time.stepz=5"], 2, "stepz")
check("time.dt" in err, "errors come all at once: " + err)
expect("more ranks than cells", [write("narrow.ini", INPUT.replace("12 8", "2 1"))], 2,
       "2 x 1 cells with 1 ghost cell cannot be shared by 3 ranks\n  fix: use at most 2 ranks", ranks=3)
expect("self on two ranks", [toy_ini, "comm.transport=self"], 2, "transport 'self' fills ghost cells of one rank", ranks=2)
check(not os.path.exists("toy"), "an input that is wrong makes no directory")
code, out, err = toy(write("crlf.ini", "\ufeff" + INPUT.replace("\n", "\r\n")))
check(code == 0, "CRLF and a byte order mark: " + err)

# --- --check ----------------------------------------------------------------------------------------------------------
out, err = toy("--check", "--ranks", "6", toy_ini)[1:]
check("12 x 8 cells, " in out and "rank 5: cells from" in out and "memory of fields" in out, "--check: " + out)
check(not os.path.exists("toy"), "--check runs nothing")
expect("--check with an error", ["--check", toy_ini, "time.dt=-1"], 2, "time.dt")
expect("--check with too many", ["--check", "--ranks", "97", toy_ini], 2, "use at most 96 ranks")

# --- the same bits, ends, directories ---------------------------------------------------------------------------------
histories = []
for ranks in 1, 2, 3, 4:
    code, out, err = toy("--run-dir", "bits%d" % ranks, toy_ini, "decay.mixing=3", ranks=ranks)
    check(code == 0 and "verification: PASSED" in out, "%d ranks: %s%s" % (ranks, out, err))
    histories.append(read("bits%d" % ranks, "history.txt"))
check(len(set(histories)) == 1, "the same history on 1 to 4 ranks")
check([line.split()[0] for line in histories[0].splitlines()[1:]] == ["0", "10", "20", "30", "40"], "rows: " + histories[0])
check([f[-15:-7] for f in sorted(glob.glob("bits2/frames/*.vtkhdf"))] == ["00000000", "00000020", "00000040"],
      "frames: %s" % os.listdir("bits2/frames"))
report = json.loads(read("bits4", "report.json"))
check(report["status"] == 0 and report["steps"] == 40 and report["ranks"] == 4 and report["frames"] == 3
      and report["verification"][0]["passed"] and abs(report["t_s"] - 0.4) < 1e-15, "report.json: %s" % report)
check(report["snapshot_bytes"] == 0 and report["snapshots_missing"] == 0, "the host has no use for snapshots: %s" % report)
os.environ["EAGLE_SNAPSHOTS"] = "always"
code, out, err = toy("--run-dir", "taken", toy_ini, "decay.mixing=3", "checkpoint.every=10")
del os.environ["EAGLE_SNAPSHOTS"]
check(code == 0, "with snapshots: " + err)
for frame in sorted(os.listdir("bits1/frames")):
    with open(os.path.join("bits1/frames", frame), "rb") as a, open(os.path.join("taken/frames", frame), "rb") as b:
        check(a.read() == b.read(), "the same bytes with snapshots: " + frame)
check(json.loads(read("taken", "report.json"))["snapshot_bytes"] == 12 * 8 * 8, "frames and checkpoints share a snapshot")
check(toy("bits1/used.ini", "--run-dir", "again")[0] == 0, "used.ini runs")
check(read("again", "history.txt") == histories[0], "used.ini gives the same")

# Accesses checked: nothing changes, and a kernel that reads too far is named, by the cell of whichever rank is heard.
for ranks in 1, 3:
    code, out, err = toy("--check-access", "--run-dir", "access", toy_ini, "decay.mixing=3", ranks=ranks)
    check(code == 0 and read("access", "history.txt") == histories[0], "--check-access on %d ranks: %s" % (ranks, err))
    expect("a kernel that reads too far", ["--check-access", "--run-dir", "access", toy_ini, "break.far=yes"], 2,
           "but declares it in with reach EAGLE_STAR(1) (toy_step", ranks=ranks)
check(toy("--run-dir", "access", toy_ini, "break.far=yes")[0] != 2, "without the check it is not found")
expect("checks on a GPU", ["--check-access", toy_ini, "run.backend=cuda"], 2,
       "accesses are checked on the host, not by 'cuda'\n  fix: set run.backend = host")

expect("no tuned kernels", ["--check-tuned", "--run-dir", "tuned", toy_ini, "run.backend=host"], 2,
       "no kernel with a tuned form for 'host' was called\n  fix: name its file behind TUNED in CMakeLists.txt", ranks=2)

# dt is made a little shorter, so that the interval of the output is a whole number of steps: 0.1 s to 0.3 / 3 s.
code, out, err = toy("--run-dir", "fitted", toy_ini, "time.dt=auto", "time.cfl=0.85", "output.every=4", "time.steps=6",
                     ranks=2)
check(json.loads(read("fitted", "report.json"))["dt_s"] == 0.85 * 0.125, "dt of the smallest limit: " + out)
write("interval.ini", INPUT.replace("dt = 0.01", "cfl = 0.85").replace("steps = 40", "end = 0.9")
      .replace("every = 20", "interval = 0.3"))
code, out, err = toy("--run-dir", "interval", "interval.ini")
report = json.loads(read("interval", "report.json"))
check(report["dt_s"] == 0.3 / 3 and report["steps"] == 9, "dt that fits the interval: %s" % report)
check(len(glob.glob("interval/frames/*.vtkhdf")) == 4, "frames at each interval")

steady = []
for ranks in 1, 3:
    code, out, err = toy("--run-dir", "steady%d" % ranks, toy_ini, "time.steps=none", "time.until_steady=0.5 ",
                         "checkpoint.every=7", "checkpoint.keep=1000", ranks=ranks)
    report = json.loads(read("steady%d" % ranks, "report.json"))
    check(code == 0 and report["why"] == "the state is steady", "until_steady: %s%s" % (out, err))
    steady.append(report["steps"])
check(steady[0] == steady[1] and steady[0] % 5 == 0 and 0 < steady[0] < 500, "steady after %s steps" % steady)
whole = read("steady1", "history.txt")
code, out, err = toy("--restart", "14", "--run-dir", "steady1", ranks=2)
check(code == 0 and "restarted at step 14" in out and json.loads(read("steady1", "report.json"))["steps"] == steady[0],
      "until_steady, restarted: %s%s" % (out, err))
check(read("steady1", "history.txt") == whole, "the same history when restarted")
check(toy("--run-dir", "none", toy_ini, "time.steps=0")[0] == 0 and len(glob.glob("none/frames/*.vtkhdf")) == 1, "no steps")

for i in range(3):
    check(toy(toy_ini)[0] == 0, "a run in its own directory")
check(all(os.path.exists(d + "/report.json") for d in ("toy", "toy.1", "toy.2")), "earlier runs are set aside")
shutil.copy(toy_ini, "bare")
check(toy("bare")[0] == 0 and read("bare") == INPUT and os.path.exists("bare.run/report.json"),
      "an input without .ini stays")
check(toy(toy_ini, "--run-dir", "slash/deep/")[0] == 0 and toy(toy_ini, "--run-dir", "slash/deep/")[0] == 0
      and os.path.exists("slash/deep.1/report.json"), "a directory with a slash behind it")
os.mkdir("mine")
write("mine/notes", "mine")
check(toy(toy_ini, "--run-dir", "mine")[0] == 0 and read("mine/notes") == "mine" and not os.path.exists("mine.1"),
      "a directory that holds no run is not set aside")
expect("a file in the way", [toy_ini, "--run-dir", "mine/notes"], 4, "'mine/notes/frames': Not a directory")
expect("a directory that cannot be made, on two ranks", [toy_ini, "--run-dir", "/proc/run"], 4, "'/proc/run/frames'",
       ranks=2)

# --- failures ---------------------------------------------------------------------------------------------------------
BROKEN = ["break.step=12", "break.x=9", "break.y=3", "check.every=1"]
for ranks in 1, 4:
    where = "'u' is not finite in cell (9, 3, 0), on rank %d, at step 13" % {1: 0, 4: 1}[ranks]
    expect("not finite", [toy_ini, "--run-dir", "broken", "run.ranks=%s" % {1: "1 1", 4: "2 2"}[ranks], *BROKEN], 3, where,
           ranks=ranks)
    report = json.loads(read("broken", "report.json"))
    check(report["status"] == 3 and where in report["error"], "report.json of a run that failed: %s" % report)
code, out, err = toy(toy_ini, "--run-dir", "unfinished", "break.step=12", "check.every=1000", "checkpoint.every=10",
                     "checkpoint.keep=1", ranks=2)
check(code == 3 and "'u' is not finite in cell (0, 0, 0), on rank 0, at step 20" in err, "checkpoint of no numbers: " + err)
check(os.listdir("unfinished/checkpoints") == ["state.00000010.vtkhdf"], "the good checkpoint stays: %s"
      % os.listdir("unfinished/checkpoints"))
expect("not finite at the very end", [toy_ini, "--run-dir", "broken", "break.step=39"], 3, "at step 40")
for ranks, rank in (1, 0), (3, 2):
    expect("set_up", [toy_ini, "break.set_up=%d" % rank], 4, "set_up fails on this rank", ranks=ranks)
    expect("a host function", [toy_ini, "break.host=%d" % rank, "break.host_step=10"], 3, "the toy breaks", ranks=ranks)
expect("a known answer", [toy_ini, "verify.wrong=0.1"], 3, "the verification failed")
code, out, err = toy("--verify")
check(code == 0 and out.count("PASSED") == 3 and "2 of 2 known answers PASSED" in out, "--verify: %s%s" % (out, err))
out, err = expect("--verify", ["--verify", "verify.wrong=1"], 3, "2 known answers FAILED", ranks=2)
check(out.count("FAILED  ") == 2 and "0 of 2" in out, "--verify that fails: " + out)

# --- progress ---------------------------------------------------------------------------------------------------------
LONG = [toy_ini, "--run-dir", "long", "grid.cells=256 256", "time.steps=12000", "output.every=100000",
        "history.every=100000"]
with open("log", "w") as log:
    subprocess.run([MPIEXEC, "--oversubscribe", "-n", "2", TOY, *LONG], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                   timeout=200)
text = open("log", newline="").read()
lines = [line for line in text.splitlines() if line.startswith("step ")]
took = json.loads(read("long", "report.json"))["phases_s"]["steps"]["most"]
check("\r" not in text, "no carriage return in the output of a launcher: %r" % text)
check(took < 1.5 or 1 <= len(lines) <= took + 1, "%d lines of progress in %g s" % (len(lines), took))
check(took < 1.5 or "% " in lines[-1] and "left" in lines[-1], "a line of progress: %s" % lines)

shown = b""
child, terminal = pty.fork()
if child == 0:
    for name in [n for n in os.environ if n.startswith(("OMPI_", "PMI", "SLURM_")) and "ALLOW" not in n]:
        del os.environ[name]
    os.execv(TOY, [TOY, *LONG])
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
os.waitpid(child, 0)
took = json.loads(read("long", "report.json"))["phases_s"]["steps"]["most"]
check(took < 0.5 or shown.count(b"\rstep ") >= 1, "a terminal's line is redrawn: %r" % shown)
sys.exit(1 if failures else 0)
