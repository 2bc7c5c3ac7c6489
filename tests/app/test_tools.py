#!/usr/bin/env python3
"""eagle-compare and eagle-info: exit status and words on runs that are the same, that are not, and that are broken."""
import os
import shutil
import subprocess

from heat import TOOLS, WHERE, check, end, run


def tool(name, *words, status, says=()):
    done = subprocess.run([os.path.join(TOOLS, name), *words], capture_output=True, text=True)
    text = done.stdout + done.stderr
    check(done.returncode == status, "%s %s: status %d, not %d\n%s" % (name, " ".join(words), done.returncode, status, text))
    for words_said in says:
        check(words_said in text, "%s %s does not say '%s':\n%s" % (name, " ".join(words), words_said, text))


def copy_of(done, name):
    other = os.path.join(WHERE, name)
    shutil.copytree(done.directory, other)
    return other


QUICK = ("time.steps=20", "output.every=10", "output.materials.every=20", "history.every=5")
first = run("heat-2d.ini", *QUICK)
other = run("heat-2d.ini", *QUICK, "box.chip.power=901", ranks=2)
frame = first.frame_files()[1]
name = os.path.basename(frame)

tool("eagle-compare", first.directory, first.directory, status=0, says=["the same: 5 frames", "; 0 of "])
tool("eagle-compare", first.directory, other.directory, status=1, says=["different: 5 frames", "most in "])
tool("eagle-compare", frame, other.directory, status=1, says=["different: 1 frames"])
tool("eagle-compare", frame, other.frame_files()[1], "--rtol", "0.01", status=0, says=["the same within rtol: 1 frames"])
tool("eagle-compare", frame, other.frame_files()[1], "--rtol=1e-12", status=1)
tool("eagle-compare", frame, first.frame_files()[2], status=1, says=["the steps are not the same"])

fewer = copy_of(first, "fewer")
os.remove(os.path.join(fewer, "frames", name))
tool("eagle-compare", first.directory, fewer, "--rtol", "1", status=1, says=[name + ": only the first run has this frame"])
tool("eagle-compare", fewer, first.directory, status=1, says=[name + ": only the second run has this frame"])
shorter = copy_of(first, "shorter")
history = os.path.join(shorter, "history.txt")
with open(history) as f:
    lines = f.read().splitlines()
with open(history, "w") as f:
    f.write("\n".join(lines[:-1]).replace("T_max[K]", "T_top[K]", 1) + "\n")
tool("eagle-compare", first.directory, shorter, status=1,
     says=["the first run has 5 rows, the second 4", "T_max[K]: only the first", "T_top[K]: only the second"])
os.remove(history)
tool("eagle-compare", first.directory, shorter, status=1, says=["history.txt: only the first run has it"])

broken = copy_of(first, "broken")
with open(os.path.join(broken, "frames", name), "r+b") as f:
    f.truncate(5000)
open(os.path.join(broken, "frames", "." + name + ".tmp"), "w").close()
tool("eagle-compare", first.directory, broken, status=4, says=[name])
tool("eagle-info", os.path.join(broken, "frames", name), status=4, says=[name, "fix: "])
tool("eagle-info", broken, status=0, says=["temporary files left over: 1"])

tool("eagle-info", first.directory, status=0, says=["5 frames", "k[W/(m K)]", "temporary files left over: 0", "5 rows of"])
tool("eagle-info", frame, status=0, says=["step 10", "160 x 96", "f64", "T "])
for words in ((), (first.directory,), (first.directory, "nowhere"), (first.directory,) * 3, ("--rtol", "x"),
              (first.directory, first.directory, "--rtol", "-1"), (first.directory, first.directory, "--what")):
    tool("eagle-compare", *words, status=2, says=["fix: "])
tool("eagle-info", "nowhere", status=2, says=["there is no 'nowhere'"])
tool("eagle-info", WHERE, status=2, says=["no frame and no history.txt"])
tool("eagle-compare", "--help", status=0, says=["usage: eagle-compare RUN RUN [--rtol R]"])
tool("eagle-info", "--help", status=0, says=["usage: eagle-info"])
end()
