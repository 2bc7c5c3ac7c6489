"""The boxes of docs/*.md that teach: every one is compiled or run, against an installed eagle. Called as
test_docs.py PART DOCUMENT BUILD CMAKE, PART being `boxes` (each has a marker, C compiles for the host, links lead
somewhere; quick) or `programs` (all is built and run). Prints nothing when it passes.

A box begins after a line that says what it is: <!-- file: PATH --> (boxes of one path follow one another in one file),
or <!-- run --> (all those of a document are one shell script, in which the first command that fails ends the test)."""
import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile

PART, DOCUMENT, BUILD, CMAKE = sys.argv[1:]
FILE = re.compile(r"<!-- file: ([\w./-]+) -->")
LANGUAGES = {".c": "c", ".h": "c", ".txt": "cmake", ".ini": "ini"}


def fail(text):
    sys.exit("failed: " + text)


def boxes(text):
    """Line, marker, language and text of each box. A fence opens and closes a box; the line before is its marker."""
    lines, opened = text.split("\n"), None
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if opened is None:
            opened = number
            continue
        yield opened, lines[opened - 2], lines[opened - 1][3:], "\n".join(lines[opened:number - 1]) + "\n"
        opened = None
    if opened is not None:
        fail("%s:%d: a box that does not end" % (DOCUMENT, opened))


def parts():
    """The files of the document by path, with #line in C so that compilers name the document, and its script."""
    files, script = {}, "set -e\n"
    with open(DOCUMENT, encoding="utf-8") as document:
        found = list(boxes(document.read()))
    if len(found) < 10:
        fail("%s has %d boxes" % (DOCUMENT, len(found)))
    for line, marker, language, text in found:
        named = FILE.fullmatch(marker)
        if named is None and marker != "<!-- run -->":
            fail("%s:%d: a box without a marker\n  fix: write <!-- file: PATH --> or <!-- run --> above it" %
                 (DOCUMENT, line))
        expected = LANGUAGES.get(os.path.splitext(named[1])[1]) if named else "sh"
        if language != expected:
            fail("%s:%d: a box of %s, not %s" % (DOCUMENT, line, language, expected))
        if named is None:
            script += text
            continue
        at = '#line %d "%s"\n' % (line + 1, os.path.basename(DOCUMENT)) if language == "c" else ""
        files[named[1]] = files.get(named[1], "") + at + text
    return files, script


def write(files, where):
    for path, text in files.items():
        path = os.path.join(where, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)


def cached(name):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        return next(line.split("=", 1)[1].strip() for line in cache if line.startswith(name + ":"))


def environment(home):
    """As the reader has it: eagle in ~/eagle; more ranks than cores, and root, as in containers."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CMAKE_PREFIX_PATH", "eagle_DIR", "eagle_ROOT", "CFLAGS")}
    return dict(kept, HOME=home, CFLAGS="-Wall -Wextra -Werror", CMAKE_GENERATOR=cached("CMAKE_GENERATOR"),
                CMAKE_BUILD_PARALLEL_LEVEL="2", OMP_NUM_THREADS="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PATH=os.path.dirname(CMAKE) + ":" + os.environ["PATH"])


def run(command, where):
    done = subprocess.run(command, cwd=where, env=environment(where), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=900)
    if done.returncode != 0:
        fail("%s: exit status %d\n%s" % (DOCUMENT, done.returncode, done.stdout[-8000:]))


def programs():
    files, script = parts()
    where = tempfile.mkdtemp(prefix="eagle-docs-")
    atexit.register(shutil.rmtree, where, True)
    run([CMAKE, "--install", BUILD, "--prefix", os.path.join(where, "eagle")], where)
    write(files, where)
    run(["bash", "-x", "-c", script], where)


def links():
    """Links to files and to headings of this document."""
    with open(DOCUMENT, encoding="utf-8") as document:
        text = document.read()
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    headings = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        if path and not os.path.exists(os.path.join(os.path.dirname(DOCUMENT), path)):
            fail("%s: a link to '%s', which is not there" % (DOCUMENT, path))
        if not path and heading not in headings:
            fail("%s: a link to '#%s', which is no heading" % (DOCUMENT, heading))


def compiled(where, path):
    """A C file as the host compiles it; a kernel file in both precisions, and as C++, as nvcc reads it."""
    include = os.path.join(os.path.dirname(os.path.dirname(DOCUMENT)), "include")
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + include, path]
    c, cxx = [cached("CMAKE_C_COMPILER"), "-std=gnu11"], [cached("CMAKE_CXX_COMPILER"), "-std=gnu++17", "-x", "c++"]
    if not path.endswith("kernels.c"):
        run([*c, *flags], where)
        return
    for real, suffix in ("float", "_f32"), ("double", "_f64"):
        for compiler in c, cxx:
            form = ["-DEAGLE_BASELINE", "-DEAGLE_LEVEL=_v1", "-DEAGLE_REAL=" + real, "-DEAGLE_SUFFIX=" + suffix]
            run([*compiler, *form, *flags], where)


def look_at_boxes():
    files, _ = parts()
    where = tempfile.mkdtemp(prefix="eagle-docs-")
    atexit.register(shutil.rmtree, where, True)
    write(files, where)
    for path in files:
        if path.endswith(".c"):
            compiled(where, path)
    links()


{"boxes": look_at_boxes, "programs": programs}[PART]()
