#!/usr/bin/env bash
# quickstart.sh - from a clean clone to the first frames: installs what is missing, builds, runs eagle-heat on 4 ranks.
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"

# shellcheck disable=SC2086
install_packages $BUILD_PACKAGES
preset=$(default_preset)
say "building preset '$preset' (a few minutes the first time)"
build "$preset"

program=build/$preset/bin/eagle-heat
say "running: mpirun --oversubscribe -n 4 $program inputs/heat.ini"
mpirun --oversubscribe -n 4 "$program" --run-dir runs/heat inputs/heat.ini

cat <<TEXT

The run is in runs/heat:
  frames   runs/heat/frames/*.vtkhdf, listed with their times in runs/heat/frames/*.xdmf
           paraview runs/heat/frames/fields.xdmf       (choose the Xdmf3 reader)
  report   runs/heat/report.json
  history  runs/heat/history.txt                       (numpy.loadtxt reads it)
Next: change inputs/heat.ini, or read docs/heat.md and README.md.
TEXT
