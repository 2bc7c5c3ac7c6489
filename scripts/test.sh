#!/usr/bin/env bash
# test.sh [--long] - builds and runs the tests; --long adds the long ones and the presets with sanitizers.
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"

long=no
for argument in "$@"; do
    case $argument in
    --long) long=yes ;;
    *) stop "unknown argument '$argument'" "scripts/test.sh [--long]" ;;
    esac
done

# shellcheck disable=SC2086
install_packages $BUILD_PACKAGES $TEST_PACKAGES
main=$(default_preset)
failed=""
presets=$main
[ "$long" = no ] || presets="$main asan tsan"
for preset in $presets; do
    say "== preset $preset"
    build "$preset"
    filter=(-LE long)
    [ "$long" = yes ] && filter=()
    [ "$preset" = tsan ] && filter+=(-L run)
    ctest --test-dir "build/$preset" --output-on-failure --timeout 600 "${filter[@]}" </dev/null || failed="$failed $preset"
done
[ -z "$failed" ] || stop "tests failed in preset:$failed" "run ctest --test-dir build/PRESET --rerun-failed --output-on-failure"
