"""What the tests of eagle-heat share: they are called as TEST.py EAGLE_HEAT MPIEXEC, run it, and look at its files.

A test prints nothing when it passes."""
import atexit
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

PROGRAM, MPIEXEC = sys.argv[1], sys.argv[2]
TOOLS = os.path.dirname(PROGRAM)
INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "inputs")
WHERE = tempfile.mkdtemp(prefix="eagle-heat-")
atexit.register(shutil.rmtree, WHERE, True)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1")

UNIT = "[material.unit]\nk = 1\nrho = 1\nc = 1\n"
failures = []
runs = 0


def check(holds, text):
    if not holds:
        failures.append(text)
        print("failed:", text, file=sys.stderr)


def end():
    sys.exit(1 if failures else 0)


class Run:
    """One run: its files, and what it printed."""

    def __init__(self, directory, done):
        self.directory, self.status = directory, done.returncode
        self.text = done.stdout + done.stderr

    def frame_files(self, output="fields"):
        return sorted(glob.glob(os.path.join(self.directory, "frames", output + ".*.vtkhdf")))

    def field(self, name, output="fields"):
        """The values [z, y, x] of the last frame."""
        with h5py.File(self.frame_files(output)[-1]) as f:
            return np.array(f["VTKHDF/PointData/" + name])

    def history(self):
        """Columns by name, without their units."""
        with open(os.path.join(self.directory, "history.txt")) as f:
            header, *lines = f.read().splitlines()
        rows = np.array([[float(v) for v in line.split()] for line in lines if not line.startswith("#")])
        return dict(zip([name.split("[")[0] for name in header.lstrip("#").split()], rows.T))

    def report(self):
        with open(os.path.join(self.directory, "report.json")) as f:
            return json.load(f)


def run(source, *settings, ranks=1, status=0, options=()):
    """Runs an input file, or the text of one. A status other than the expected one is a failure of the test."""
    global runs
    runs += 1
    directory = os.path.join(WHERE, "run%d" % runs)
    path = os.path.join(INPUTS, source)
    if "\n" in source:
        path = os.path.join(WHERE, "input%d.ini" % runs)
        with open(path, "w") as f:
            f.write(source)
    command = [PROGRAM, "--run-dir", directory, *options, path, *settings]
    if ranks > 1:
        command = [MPIEXEC, "--oversubscribe", "-n", str(ranks)] + command
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500)
    result = Run(directory, done)
    check(done.returncode == status, "%s %s on %d ranks: exit status %d, expected %d\n%s"
          % (source if "\n" not in source else "an input", " ".join(settings), ranks, done.returncode, status,
             result.text))
    return result


def same_bits(a, b):
    """By eagle-compare: no value of any frame differs."""
    done = subprocess.run([os.path.join(TOOLS, "eagle-compare"), a.directory, b.directory], capture_output=True,
                          text=True)
    return done.returncode == 0, done.stdout + done.stderr


def frames_of_all_kinds(ranks):
    """Two frames of every layout of test_frames.c: regions, strides, vectors, other numbers, compressed ones."""
    directory = os.path.join(WHERE, "kinds")
    os.mkdir(directory)
    done = subprocess.run([MPIEXEC, "--oversubscribe", "-n", str(ranks), os.path.join(TOOLS, "test_frames"), directory],
                          capture_output=True, text=True, timeout=100)
    check(done.returncode == 0, "test_frames: status %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return Run(directory, done)
