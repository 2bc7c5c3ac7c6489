"""eagle as someone outside its tree meets it: installed, moved, found by CMake. Called as TEST.py PART SOURCE BUILD CMAKE,
where BUILD is a build of SOURCE. Prints nothing when it passes."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile

PART, SOURCE, BUILD, CMAKE = sys.argv[1:5]
WHERE = tempfile.mkdtemp(prefix="eagle-install-")
atexit.register(shutil.rmtree, WHERE, True)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1")
for name in "CMAKE_PREFIX_PATH", "eagle_DIR", "eagle_ROOT":
    os.environ.pop(name, None)
failures = 0


def check(holds, text):
    global failures
    if not holds:
        failures += 1
        print("failed:", text, file=sys.stderr)


def run(*command, status=0, cwd=WHERE):
    """What a command says, on both streams. One that ends otherwise than expected ends the test."""
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=500)
    if done.returncode != status:
        sys.exit("%s\n%s\nexit status %d, expected %d" % (" ".join(command), done.stdout, done.returncode, status))
    return done.stdout


def cached(name):
    with open(os.path.join(BUILD, "CMakeCache.txt")) as cache:
        return next(line.split("=", 1)[1].strip() for line in cache if line.startswith(name + ":"))


def install():
    """Installs to a prefix and moves it: nothing may name the place where it was."""
    first, moved = os.path.join(WHERE, "first"), os.path.join(WHERE, "moved here")
    run(CMAKE, "--install", BUILD, "--prefix", first)
    os.rename(first, moved)
    found = subprocess.run(["grep", "-rIl", "-e", first, "-e", SOURCE + "/", moved], capture_output=True, text=True).stdout
    check(found == "", "these name a folder of the build: " + found)
    return moved


def configure(project, build, prefix, status=0):
    return run(CMAKE, "-S", project, "-B", build, "-G", cached("CMAKE_GENERATOR"), "-DCMAKE_PREFIX_PATH=" + prefix,
               status=status)


def make(build, *targets, status=0):
    return run(CMAKE, "--build", build, *(["--target", *targets] if targets else []), status=status)


def consumers(prefix):
    configure(os.path.join(SOURCE, "tests/install/consumer"), "consumer", prefix)
    make("consumer")
    for program in "in_c11", "in_cpp17":
        check(run("consumer/" + program, "host") == "", program + " says something")
    said = make("consumer", "without_kernels", status=1)
    check("scaled_f64_is_missing_from_eagle_add_kernels" in said, "a kernel file that is not listed: " + said)


PARTS = {"consumers": consumers}
PARTS[PART](install())
sys.exit(1 if failures else 0)
