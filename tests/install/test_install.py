"""eagle as someone outside its tree meets it: installed, moved, found by CMake. Called as TEST.py PART SOURCE BUILD CMAKE
CTEST MPIEXEC, where BUILD is a build of SOURCE. Prints nothing when it passes."""
import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile

PART, SOURCE, BUILD, CMAKE, CTEST, MPIEXEC = sys.argv[1:]
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


def grep(*words):
    return subprocess.run(["grep", *words], capture_output=True, text=True).stdout


def install(build=BUILD):
    """Installs to a prefix and moves it: nothing may name the place where it was."""
    first, moved = os.path.join(WHERE, "first"), os.path.join(WHERE, "moved here")
    run(CMAKE, "--install", build, "--prefix", first)
    os.rename(first, moved)
    check(os.access(os.path.join(moved, "share/eagle/slurm/eagle.sbatch"), os.X_OK), "the job script is not installed")
    check(grep("-rIl", "-e", first, "-e", SOURCE + "/", moved) == "", "files name a folder of the build")
    return moved


def configure(project, build, prefix, status=0):
    return run(CMAKE, "-S", project, "-B", build, "-G", cached("CMAKE_GENERATOR"), "-DCMAKE_PREFIX_PATH=" + prefix,
               status=status)


def make(build, *targets, status=0):
    return run(CMAKE, "--build", build, *(["--target", *targets] if targets else []), status=status)


def on_gpu(program):
    """What a consumer says when it asks for a GPU. It says nothing where there is one; else what is missing."""
    done = subprocess.run([program, "cuda"], cwd=WHERE, capture_output=True, text=True)
    check(done.returncode in (0, 5) and (done.returncode == 0) == (done.stderr == ""),
          "%s on a GPU: %d, %s" % (program, done.returncode, done.stderr))
    check(done.returncode == 0 or "  fix: " in done.stderr, "how to get a GPU: " + done.stderr)
    return done.stderr


def consumers(prefix):
    configure(os.path.join(SOURCE, "tests/install/consumer"), "consumer", prefix)
    make("consumer")
    for program in "consumer/in_c11", "consumer/in_cpp17":
        check(run(program, "host") == "", program + " says something")
        lacks = "was built without the cuda backend" in on_gpu(program)
        with_cuda = "EAGLE_CUDA_ARCHITECTURES" in grep("-rh", "--include=eagleTargets.cmake", "-e", "EAGLE_CUDA_ARCHITECTURES", prefix)
        check(lacks != with_cuda, "%s asks for a GPU of an eagle with CUDA: %s" % (program, with_cuda))
    said = make("consumer", "without_kernels", status=1)
    check("scaled_f64_is_missing_from_eagle_add_kernels" in said, "a kernel file that is not listed: " + said)


def without_cuda(prefix):
    """The same of an eagle without CUDA, where the build at hand has it."""
    shutil.rmtree(prefix)
    run(CMAKE, "-S", SOURCE, "-B", "host", "-G", cached("CMAKE_GENERATOR"), "-DEAGLE_WITH_CUDA=OFF", "-DEAGLE_BUILD_TESTS=OFF",
        "-DCMAKE_BUILD_TYPE=Debug")
    make("host")
    consumers(install("host"))
    check("run.backend=host" in on_gpu("consumer/in_c11"), "what to do without CUDA")
    check(grep("CMAKE_CUDA_COMPILER", os.path.join(WHERE, "consumer/CMakeCache.txt")) == "", "nvcc is asked for")


def application(prefix):
    new = os.path.join(prefix, "bin/eagle-new")
    said = run(new, "foam-2")
    check('cmake -B build -DCMAKE_PREFIX_PATH="%s"' % prefix in said, "what to do next: " + said)
    here = os.path.join(WHERE, "foam-2")
    made = sorted(os.listdir(here))
    check(made == ["CMakeLists.txt", "foam-2.ini", "kernels.c", "main.c", "model.h"], "files: %s" % made)
    check(grep("-r", "gray_scott", here) == "", "the name of the template is left")
    configure("foam-2", "foam-2/build", prefix)
    make("foam-2/build")
    said = run(CTEST, "--test-dir", "foam-2/build", "--output-on-failure")
    check("100% tests passed, 0 tests failed out of 4" in said, "the test of the application: " + said)

    foam = [MPIEXEC, "--oversubscribe", "-n", "4", "build/foam-2", "foam-2.ini", "grid.cells=64 64", "time.steps=500"]
    for precision, bound in ("f64", 1e-15), ("f32", 1e-6):
        said = run(*foam, "run.precision=" + precision, cwd=here)
        check("verification: PASSED" in said, "4 ranks, %s: %s" % (precision, said))
        with open(os.path.join(here, "foam-2", "history.txt")) as history:
            rows = [[float(word) for word in line.split()] for line in history if not line.startswith("#")]
        worst = max(abs(row[-1]) for row in rows[1:]) / 2.5**2
        check(0 < worst < bound, "imbalance of the box, %s: %g" % (precision, worst))
    said = run(*foam, "edges.x=fixed 1", "check.tolerance=1e-9", "--run-dir", "open", status=3, cwd=here)
    check("main.c:" in said and WHERE not in said.split("main.c:")[0].splitlines()[-1], "where it failed: " + said)
    check("fix: make all edges periodic or mirror" in said, "an edge through which u flows: " + said)


TUNED = """#include "model.h"
EAGLE_TUNED_HOST(react, model)
{
    const double *h = grid->h;
    const real    ax = (real)(1 / (h[0] * h[0])), ay = (real)(1 / (h[1] * h[1])), dt = (real)now.dt;

    for (int64_t y = box->lo[1]; y < box->hi[1]; y++)
        for (int64_t x = box->lo[0]; x < box->hi[0]; x++) {
            const real *a = u + x + y * Y, *b = v + x + y * Y;
            const real  lap_u = ax * (a[-X] - 2 * a[0] + a[X]) + ay * (a[-Y] - 2 * a[0] + a[Y]);
            const real  lap_v = ax * (b[-X] - 2 * b[0] + b[X]) + ay * (b[-Y] - 2 * b[0] + b[Y]);
            const real  turned = a[0] * b[0] * b[0];

            u_new[x + y * Y] = a[0] + dt * ((real)p->Du * lap_u - turned + (real)p->feed * (1 - a[0]));
            v_new[x + y * Y] = b[0] + dt * ((real)p->Dv * lap_v + turned - (real)(p->feed + p->decay) * b[0]);
        }
}
"""


def rewrite(name, old, new):
    with open(name) as file:
        text = file.read()
    check(old in text, "'%s' is not in %s" % (old, name))
    with open(name, "w") as file:
        file.write(text.replace(old, new))


def tuned(prefix):
    """A tuned kernel of an application: it is compared with the plain one, and named when it is wrong."""
    run(os.path.join(prefix, "bin/eagle-new"), "foam")
    here = os.path.join(WHERE, "foam")
    with open(os.path.join(here, "tuned.c"), "w") as file:
        file.write(TUNED)
    rewrite(os.path.join(here, "CMakeLists.txt"), "KERNELS kernels.c)", "KERNELS kernels.c TUNED tuned.c)")
    configure("foam", "foam/build", prefix)
    make("foam/build")
    test = CTEST, "--test-dir", "foam/build", "--output-on-failure", "-R"
    said = run(*test, "tuned|clean")
    check("foam.tuned_host" in said and "0 tests failed out of 2" in said, "the test of the tuned kernel: " + said)

    # Another order of additions is another number.
    rewrite(os.path.join(here, "tuned.c"), "(a[-X] - 2 * a[0] + a[X])", "(a[-X] + a[X] - 2 * a[0])")
    make("foam/build")
    said = run(*test, "tuned", status=8)
    check(re.search(r"error: react: the tuned form leaves \S+ in 'u_new' at \(\d+, \d+, 0\), the plain one", said),
          "a tuned kernel that is wrong: " + said)

    rewrite(os.path.join(here, "tuned.c"), "EAGLE_TUNED_HOST", "EAGLE_TUNED_DEVICE")
    said = configure("foam", "foam/build", prefix, status=1)
    check("no tuned form is in 'tuned.c'" in said and "fix: begin a line with" in said, "a form of another side: " + said)
    rewrite(os.path.join(here, "tuned.c"), "EAGLE_TUNED_DEVICE(react", "EAGLE_TUNED_HOST(imbalance")
    configure("foam", "foam/build", prefix)
    said = make("foam/build", status=1)
    check("only an EAGLE_KERNEL may have a tuned form, imbalance returns a value" in said, "of a sum: " + said)


NEW_WRONG = [
    (["foam-2"], "'foam-2' exists\n  fix: remove it, or write eagle-new foam-2 --dir OTHER"),
    (["2foam"], "'2foam' is no name of a program\n  fix: begin with a letter"),
    (["a/b"], "'a/b' is no name of a program"),
    (["test"], "the name 'test' is taken\n  fix: choose another one"),
    (["eagle-heat"], "the name 'eagle-heat' is taken by"),
    ([], "no name is given\n  fix: eagle-new NAME"),
    (["a", "b"], "'b' is a second name"),
    (["a", "--dir"], "--dir needs a value"),
    (["a", "--dri", "b"], "there is no option '--dri'"),
]


def new(prefix):
    program = os.path.join(prefix, "bin/eagle-new")
    os.mkdir(os.path.join(WHERE, "foam-2"))
    for words, message in NEW_WRONG:
        said = run(program, *words, status=2)
        check("error: " + message in said and "  fix: " in said, "eagle-new %s: %s" % (words, said))
    check(sorted(os.listdir(WHERE)) == ["foam-2", "moved here"], "made by wrong calls: %s" % os.listdir(WHERE))
    os.symlink(program, os.path.join(WHERE, "linked"))
    check("made some/where" in run("./linked", "foam-2", "--dir", "some/where"), "through a link, into a folder")
    check(os.path.exists(os.path.join(WHERE, "some/where/main.c")), "the folder of --dir")
    check(run(program, "--help").startswith("usage: eagle-new NAME"), "--help")
    os.rename(os.path.join(prefix, "share"), os.path.join(prefix, "lost"))
    check("there is no template in" in run(program, "other", status=4), "an installation without its template")


PARTS = {"consumers": consumers, "tuned": tuned, "without_cuda": without_cuda, "application": application, "new": new}
PARTS[PART](install())
sys.exit(1 if failures else 0)
