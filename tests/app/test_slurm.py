"""scripts/slurm/eagle.sbatch with launchers that only write down how they are called. Called as TEST.py SCRIPT. Prints
nothing when it passes."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time

SCRIPT = sys.argv[1]
WHERE = tempfile.mkdtemp(prefix="eagle-slurm-")
atexit.register(shutil.rmtree, WHERE, True)
CALL = os.path.join(WHERE, "call")
# Ends with the status of the environment, or, where it is to wait, on SIGUSR2 with 75, as eagle does, a while after it.
LAUNCHER = """#!/bin/bash
trap 'sleep 0.3; exit 75' USR2
printf '%s\\n' "${0##*/}" "$@" > "$CALL.new" && mv "$CALL.new" "$CALL"
while [ "$ENDS" = never ]; do sleep 0.05; done
exit "$ENDS"
"""
for name in "mpirun", "srun":
    with open(os.path.join(WHERE, name), "w") as file:
        file.write(LAUNCHER)
    os.chmod(os.path.join(WHERE, name), 0o755)

CPU = {"SLURM_NTASKS_PER_NODE": "4", "SLURM_JOB_NUM_NODES": "3", "SLURM_CPUS_PER_TASK": "8"}
GPU = dict(CPU, SLURM_GPUS_ON_NODE="4")
MPIRUN = "mpirun -n 12 --map-by ppr:4:node:PE=8 --bind-to core "
SRUN = "srun --mpi=pmix --cpus-per-task=8 --cpu-bind=cores "
# What stands in the environment, the arguments, the status of the launcher; the call made, the exit status, what is said.
ROWS = [
    (CPU, "eagle-heat a.ini", 0, MPIRUN + "eagle-heat a.ini run.backend=host", 0, ""),
    (GPU, "eagle-heat a.ini", 0, MPIRUN + "eagle-heat a.ini run.backend=cuda", 0, ""),
    (GPU, "eagle-heat a.ini run.backend=host", 0, MPIRUN + "eagle-heat a.ini run.backend=host", 0, ""),
    (dict(GPU, EAGLE_LAUNCHER="srun"), "eagle-heat a.ini", 0, SRUN + "eagle-heat a.ini run.backend=cuda", 0, ""),
    (dict(CPU, SLURM_RESTART_COUNT="1"), "eagle-heat a.ini", 0,
     MPIRUN + "eagle-heat a.ini --restart latest run.backend=host", 0, ""),
    (dict(CPU, SLURM_RESTART_COUNT="1"), "eagle-heat --restart 7 a.ini", 0,
     MPIRUN + "eagle-heat a.ini --restart latest run.backend=host", 0, ""),
    (CPU, "eagle-heat --restart 7 a.ini", 75, MPIRUN + "eagle-heat --restart 7 a.ini run.backend=host", 75,
     "to go on: sbatch eagle.sbatch eagle-heat a.ini --restart latest"),
    (CPU, "eagle-heat --restart c/state.00000007.vtkhdf --run-dir b", 75,
     MPIRUN + "eagle-heat --restart c/state.00000007.vtkhdf --run-dir b run.backend=host", 75,
     "to go on: sbatch eagle.sbatch eagle-heat --run-dir b --restart latest"),
    (CPU, "eagle-heat a.ini", 137, MPIRUN + "eagle-heat a.ini run.backend=host", 137, ""),
    (CPU, "eagle-heat a.ini", 3, MPIRUN + "eagle-heat a.ini run.backend=host", 3, ""),
    (CPU, "eagle-heat a.ini", 75, MPIRUN + "eagle-heat a.ini run.backend=host", 75,
     "to go on: sbatch eagle.sbatch eagle-heat a.ini --restart latest"),
    (CPU, "eagle-heat a.ini --restart latest", 75, MPIRUN + "eagle-heat a.ini --restart latest run.backend=host", 75,
     "to go on: sbatch eagle.sbatch eagle-heat a.ini --restart latest"),
    (CPU, "eagle-heat a.ini", "never", MPIRUN + "eagle-heat a.ini run.backend=host", 75, "stopped with a checkpoint"),
    (dict(GPU, SLURM_GPUS_ON_NODE="2"), "eagle-heat a.ini", 0, "", 2,
     "error: 4 ranks on a node with 2 GPUs of this job\n  fix: give --ntasks-per-node and --gpus-per-node the same number"),
    (dict(CPU, EAGLE_LAUNCHER="prun"), "eagle-heat a.ini", 0, "", 2, "fix: set it to mpirun or srun"),
    (CPU, "", 0, "", 2, "error: no program is given\n  fix: "),
]
failures = 0


def check(holds, text):
    global failures
    if not holds:
        failures += 1
        print("failed:", text, file=sys.stderr)


def call_made():
    if not os.path.exists(CALL):
        return ""
    with open(CALL) as file:
        return " ".join(file.read().split("\n")[:-1])


def run(settings, words, ends):
    """Status and output of the script; where the launcher does not end by itself the script is sent SIGUSR2."""
    if os.path.exists(CALL):
        os.remove(CALL)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "EAGLE"))}
    environment.update(settings, PATH=WHERE + ":" + os.environ["PATH"], CALL=CALL, ENDS=str(ends))
    script = subprocess.Popen(["bash", SCRIPT, *words.split()], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    deadline = time.time() + 20
    while ends == "never" and call_made() == "" and time.time() < deadline:
        time.sleep(0.02)
    if ends == "never":
        script.send_signal(12)  # SIGUSR2
    out = script.communicate(timeout=30)[0]
    return script.returncode, out


for settings, words, ends, call, status, said in ROWS:
    code, out = run(settings, words, ends)
    check((code, call_made()) == (status, call) and said in out and (status == 75) == ("to go on" in out),
          "%s, %s: status %d, call '%s'\n%s" % (words, settings, code, call_made(), out))

check(subprocess.run(["bash", "-n", SCRIPT]).returncode == 0, "bash -n")
if shutil.which("shellcheck"):
    found = subprocess.run(["shellcheck", SCRIPT], stdout=subprocess.PIPE, text=True)
    check(found.returncode == 0, "shellcheck: " + found.stdout)
with open(SCRIPT) as file:
    lines = file.read().splitlines()
check("#SBATCH --signal=B:USR2@300" in lines, "the signal before the wall time")
first = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
check(all("SBATCH" not in line for line in lines[first:]), "Slurm reads no #SBATCH behind the first command")
sys.exit(1 if failures else 0)
