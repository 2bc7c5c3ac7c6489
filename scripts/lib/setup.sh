# setup.sh - sourced by the scripts: what a fresh machine lacks, and how to configure, build and run here.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

say() { printf '%s\n' "$*"; }
stop() { printf 'error: %s\n' "$1" >&2; [ -z "${2:-}" ] || printf '  fix: %s\n' "$2" >&2; exit 1; }

# Debian and Ubuntu packages, by what needs them.
BUILD_PACKAGES="cmake ninja-build gcc g++ pkg-config openmpi-bin libopenmpi-dev libhdf5-dev libhwloc-dev libinih-dev
 libmuparser-dev zlib1g-dev"
TEST_PACKAGES="hdf5-tools python3 python3-h5py python3-numpy universal-ctags clang libomp-dev"

missing_packages() {
    local name
    for name in "$@"; do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || printf '%s ' "$name"
    done
}

# install_packages NAME...: installs those that are missing; on other systems says which they are and stops.
install_packages() {
    local missing sudo=""
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        for name in cmake ninja mpicc h5cc pkg-config; do
            command -v "$name" >/dev/null ||
                stop "this is not Debian or Ubuntu, and '$name' is missing" "install the equivalents of: $*"
        done
        return
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop "packages are missing and there is no sudo: $missing" "as root: apt-get install $missing"
        sudo="sudo"
    fi
    say "installing: $missing"
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null >/dev/null ||
        stop "apt-get could not install: $missing" "run 'apt-get install $missing' and read what it says"
}

# The preset for this machine: with a CUDA toolkit the cuda backend is built, GPU or not.
default_preset() {
    if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then say cuda; else say host; fi
}

build() { # build PRESET
    PATH="$PATH:/usr/local/cuda/bin" cmake --preset "$1" >"/tmp/eagle-configure-$1.$$" 2>&1 ||
        { cat "/tmp/eagle-configure-$1.$$"; stop "cmake could not configure preset '$1'" "read the lines above"; }
    rm -f "/tmp/eagle-configure-$1.$$"
    PATH="$PATH:/usr/local/cuda/bin" cmake --build --preset "$1" || stop "preset '$1' does not build" "read the lines above"
}

# Open MPI refuses root, and takes cores as slots: ranks beyond the cores need --oversubscribe.
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi

# Leaks of MPI's own are not ours; stacks must be whole to see whose a block is. TSan: libomp tells it of its barriers.
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0" ASAN_OPTIONS="fast_unwind_on_malloc=0"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1"
