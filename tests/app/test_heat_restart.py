"""A run that is stopped and restarted on other numbers of ranks is, to the last bit, the run that nobody disturbed: frames,
history, list of frames. Then what cannot be restarted. With `long` behind the usual arguments all schemes and precisions."""
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import h5py

from heat import INPUTS, MPIEXEC, PROGRAM, WHERE, Run, check, end, run, same_bits

INPUT = os.path.join(INPUTS, "heat-2d.ini")
LONG = "long" in sys.argv
EULER = ["time.scheme=euler", "time.steps=9000", "output.every=1500", "output.materials.every=9000", "history.every=400",
         "check.every=150"]
RKL2 = ["time.steps=800", "output.every=150", "output.materials.every=800", "history.every=35", "check.every=15"]
SAMPLES = [(RKL2, "f64"), (EULER, "f32")] + ([(RKL2, "f32"), (EULER, "f64")] if LONG else [])
SEED = int(os.environ.get("EAGLE_SEED", random.randrange(10**6)))
chance = random.Random(SEED)


def words(directory, *options, ranks=1):
    launcher = [MPIEXEC, "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    return [*launcher, PROGRAM, "--run-dir", directory, *options]


def call(directory, *options, ranks=1):
    done = subprocess.run(words(directory, *options, ranks=ranks), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300)
    return Run(directory, done)


def expect(what, result, status, message):
    check(result.status == status and result.text.count(message) == 1,
          "%s: status %d, expected %d and once: %s\n%s" % (what, result.status, status, message, result.text))


def rows(directory):
    try:
        with open(os.path.join(directory, "history.txt")) as f:
            return [int(line.split()[0]) for line in f if line[0] != "#" and line[-1] == "\n"]
    except OSError:
        return []


def stop(directory, after, *options, ranks, sent=signal.SIGUSR2):
    """Sends the signal once the history has a row of step `after` or later; the step at which the run stopped."""
    after = max([after, *[step + 1 for step in rows(directory)]])  # not before this run has begun
    done = subprocess.Popen(words(directory, *options, ranks=ranks), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    limit = time.time() + 100
    while done.poll() is None and time.time() < limit and not any(step >= after for step in rows(directory)):
        time.sleep(0.002)
    if done.poll() is None: done.send_signal(sent)
    text = done.communicate(timeout=200)[0]
    found = re.search(r"stopped by a signal, at step (\d+), with a checkpoint", text)
    check(done.returncode == 75 and found is not None,
          "seed %d: stopped after step %d on %d ranks: status %d\n%s" % (SEED, after, ranks, done.returncode, text))
    return int(found.group(1)) if found else 0


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def checkpoints(directory):
    return sorted(glob.glob(os.path.join(directory, "checkpoints", "*.vtkhdf")))


def same(what, one, other):
    equal, text = same_bits(one, other)
    check(equal and " 0 of " in text.splitlines()[-1], "%s: frames differ\n%s" % (what, text))
    check(read(one.directory, "history.txt") == read(other.directory, "history.txt"), what + ": histories differ")
    for name in "fields.xdmf", "materials.xdmf":
        check(read(one.directory, "frames", name) == read(other.directory, "frames", name), what + ": lists differ")


# --- stopped twice, on 4, 3 and 1 ranks -------------------------------------------------------------------------------
for i, (settings, precision) in enumerate(SAMPLES):
    what = "seed %d, %s %s" % (SEED, settings[0], precision)
    settings = [*settings, "run.precision=" + precision, "run.progress=1000"]
    steps = int([s for s in settings if s.startswith("time.steps")][0].split("=")[1])
    whole, parts = run("heat-2d.ini", *settings, ranks=2), os.path.join(WHERE, "parts%d" % i)
    first = stop(parts, chance.randrange(steps // 10, steps // 4), INPUT, *settings, ranks=4)
    check(checkpoints(parts)[-1].endswith("state.%08d.vtkhdf" % first), what + ": the checkpoint of the stop")
    second = stop(parts, chance.randrange(steps // 3, steps // 2), "--restart", ranks=3)
    check(first < second < steps, what + ": stopped at %d and %d of %d" % (first, second, steps))
    last = call(parts, "--restart")
    expect(what, last, 0, "restarted at step %d" % second)
    same(what + ", stopped at %d and %d" % (first, second), whole, last)
    check(not glob.glob(parts + "/aside.*"), what + ": nothing was to be set aside")
    check(len(checkpoints(parts)) == 2, what + ": two checkpoints are kept: %s" % checkpoints(parts))

# --- from an earlier step, with its own input: later frames are set aside ---------------------------------------------
again = call(parts, "--restart", str(second), INPUT, *settings, ranks=2)
expect("from a step", again, 0, "later set aside in " + parts + "/aside.1")
same("from a step", whole, again)
check(os.path.exists(parts + "/aside.1/frames/fields.%08d.vtkhdf" % steps), "the last frame was set aside")
elsewhere = call(os.path.join(WHERE, "elsewhere"), "--restart", checkpoints(parts)[0])
check(elsewhere.status == 0 and rows(elsewhere.directory)[0] >= second, "in another directory: " + elsewhere.text)

# --- SIGUSR1 and go on, every, --walltime -----------------------------------------------------------------------------
SHORT = ["grid.cells=40 24", "time.steps=400"]
kept = call(os.path.join(WHERE, "kept"), INPUT, *SHORT, "checkpoint.every=60", "checkpoint.keep=3")
check([int(c[-15:-7]) for c in checkpoints(kept.directory)] == [300, 360, 400], "every: %s" % checkpoints(kept.directory))
asked = subprocess.Popen(words(os.path.join(WHERE, "asked"), INPUT, "time.steps=2000", ranks=2), stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while asked.poll() is None and not rows(os.path.join(WHERE, "asked"))[2:]: time.sleep(0.01)
asked.send_signal(signal.SIGUSR1)
while asked.poll() is None and not checkpoints(os.path.join(WHERE, "asked")): time.sleep(0.01)
check(asked.poll() is None, "a checkpoint while the run goes on")
asked.send_signal(signal.SIGUSR2)
check(asked.wait(100) == 75, "SIGUSR1, then SIGUSR2: status %s" % asked.returncode)
begin = time.time()
timed = call(os.path.join(WHERE, "timed"), INPUT, "time.steps=100000000", "--walltime", "0:00:02", ranks=2)
expect("--walltime", timed, 75, "stopped before the wall time is over, at step")
check(time.time() - begin < 4, "--walltime of 2 s took %g s" % (time.time() - begin))

# --- what cannot be restarted -----------------------------------------------------------------------------------------
own = [INPUT, *SHORT, "checkpoint.every=60", "checkpoint.keep=3"]
expect("no checkpoint", call(os.path.join(WHERE, "none"), "--restart", ranks=3), 4, "there is no checkpoint in '")
expect("no such step", call(kept.directory, "--restart", "7"), 4, "state.00000007.vtkhdf': it cannot be opened")
expect("a frame", call(kept.directory, "--restart", kept.frame_files()[0]), 4, "it is no checkpoint of eagle")
expect("another grid", call(kept.directory, "--restart", *own, "grid.cells=44 24", ranks=2), 2,
       "'grid.cells' is not what it was in the checkpoint's run\n  fix: write cells = 40 24")
expect("another precision", call(kept.directory, "--restart", "run.precision=f32"), 2, "'run.precision' is not what it was")
expect("an edge", call(kept.directory, "--restart", "edges.y_lower=fixed 301"), 2, "'edges.y_lower' is not what it was")
expect("a box", call(kept.directory, "--restart", "box.chip.power=901"), 2, "'box.chip.power' is not what it was")
expect("an end before", call(kept.directory, "--restart", "time.steps=200"), 2, "is of step 400, but the run ends at step 200")
expect("no wall time", call(kept.directory, *own, "--walltime", "soon"), 2, "'soon' is no wall time")
expect("a directory that cannot be made", call("/proc/run", "--restart", checkpoints(kept.directory)[0]), 4, "'/proc/run/frames'")
check(len(checkpoints(kept.directory)) == 3 and not os.path.exists(kept.directory + "/aside.1"), "what is refused changes nothing")

broken = os.path.join(WHERE, "broken.00000400.vtkhdf")
for name in ("T", "type"), ("T", "shape"), ("T", "gone"):
    shutil.copy(checkpoints(kept.directory)[-1], broken)
    with h5py.File(broken, "r+") as f:
        T = f["VTKHDF/PointData/T"][:]
        del f["VTKHDF/PointData/T"]
        if name[1] != "gone": f["VTKHDF/PointData/T"] = T.astype("f4") if name[1] == "type" else T[:, :-1]
    expect("a field's " + name[1], call(os.path.join(WHERE, "b"), "--restart", broken, ranks=2), 4,
           {"type": "a field has another type of numbers", "shape": "a field has another shape",
            "gone": "it lacks a field of this program"}[name[1]])
shutil.copy(checkpoints(kept.directory)[-1], broken)
with h5py.File(broken, "r+") as f:
    f["eagle"].attrs["program"] = b"eagle-else"
    del f["eagle"].attrs["program"]
    f["eagle"].attrs.create("program", b"eagle-else", dtype="S10")
expect("another program", call(os.path.join(WHERE, "b"), "--restart", broken), 4, "is a checkpoint of eagle-else, not of eagle-heat")

newest = checkpoints(kept.directory)[-1]
os.truncate(newest, os.path.getsize(newest) // 2)
expect("a file that was cut off", call(kept.directory, "--restart", "400"), 4, "it cannot be opened")
cut = call(kept.directory, "--restart", ranks=2)
expect("the one before", cut, 0, "restarted at step 360")
check("the one before is taken" in cut.text, "a warning of the newest: " + cut.text)
same("from the one before", run("heat-2d.ini", *SHORT, "checkpoint.every=60"), cut)
more = call(kept.directory, "--restart", "time.steps=450", ranks=2)
expect("a longer run", more, 0, "restart: time.steps is now 450, was 400")
check(rows(more.directory)[-1] == 450, "a longer run goes on")

# --- what never takes the place of a good one -------------------------------------------------------------------------
BIG = ["grid.cells=1600 960", "time.scheme=euler", "output.stride=8", "output.materials.stride=8"]
full = os.path.join(WHERE, "full")
expect("the first step", call(full, INPUT, *BIG, "time.steps=1"), 0, "after 1 steps")
before, bytes_before = checkpoints(full), open(checkpoints(full)[0], "rb").read()
done = subprocess.run(["bash", "-c", "ulimit -f 8192; exec \"$@\"", "-", *words(full, "--restart", "time.steps=2")],
                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
check(done.returncode == 4 and "error: a checkpoint " in done.stderr and ": File too large; a checkpoint needs" in done.stderr,
      "files of 8 MiB at most: %d\n%s" % (done.returncode, done.stderr))
check(checkpoints(full) == before and open(before[0], "rb").read() == bytes_before, "the one before is as it was")
check(os.listdir(full + "/checkpoints") == [os.path.basename(before[0])], "no part of the new one is left")
expect("with room again", call(full, "--restart", "time.steps=2", ranks=2), 0, "restarted at step 1")
end()
