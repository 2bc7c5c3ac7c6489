#!/usr/bin/env python3
"""Makes the pictures of docs/heat.md from real runs: heat.py EAGLE_HEAT [RANKS]. Needs h5py and matplotlib."""
import glob
import os
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "..", "..", "inputs")
PROGRAM, RANKS = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "1"
WHERE = tempfile.mkdtemp(prefix="heat-pictures-")


def run(name, *settings):
    """The directory of a run."""
    directory = os.path.join(WHERE, name)
    subprocess.run(["mpirun", "--oversubscribe", "-n", RANKS, PROGRAM, "--run-dir", directory,
                    os.path.join(INPUTS, name), *settings], check=True, stdout=subprocess.DEVNULL)
    return directory


def frames(directory, field, output="fields"):
    """Values [z, y, x] and time of each frame, in order."""
    for path in sorted(glob.glob(os.path.join(directory, "frames", output + ".*.vtkhdf"))):
        with h5py.File(path) as f:
            yield np.array(f["VTKHDF/PointData/" + field]), path


def history(directory):
    """Columns by name, without their units."""
    with open(os.path.join(directory, "history.txt")) as f:
        header, *lines = f.read().splitlines()
    rows = np.array([[float(v) for v in line.split()] for line in lines])
    return dict(zip([name.split("[")[0] for name in header.lstrip("#").split()], rows.T))


def save(figure, name):
    figure.savefig(os.path.join(HERE, name), dpi=80, bbox_inches="tight")
    plt.close(figure)


def package():
    directory = run("heat.ini", "output.interval=1000")
    T = list(frames(directory, "T"))[-1][0]
    nz, ny, nx = T.shape
    figure, (a, b, c) = plt.subplots(1, 3, figsize=(13, 3.6), width_ratios=(1, 1.5, 1.2))
    shown = a.imshow(T - 273.15, origin="lower", extent=(0, 32, 0, 32), cmap="inferno")
    a.set(title="active side, steady [°C]", xlabel="x [mm]", ylabel="y [mm]")
    figure.colorbar(shown, ax=a)
    row = ny * 20 // 32
    shown = b.imshow(T[:, row] - 273.15, origin="lower", extent=(0, 32, 0, 3.2), aspect=4, cmap="inferno")
    b.axhline(0.8, color="w", lw=0.5)
    b.axhline(1.0, color="w", lw=0.5)
    b.set(title="section through two cores, y = 20 mm [°C]", xlabel="x [mm]", ylabel="z [mm]")
    h = history(directory)
    for name in [n for n in h if n.startswith("T_max.")]:
        c.plot(h["time"], h[name] - 273.15, label=name[6:])
    c.set(title="hottest points [°C]", xlabel="t [s]", xlim=(0, 8))
    c.legend(fontsize=7)
    save(figure, "heat-package.png")


def module():
    directory = run("heat-2d.ini", "time.steps=8000", "output.every=8000", "output.materials.every=8000",
                    "check.every=1000", "history.every=1000")
    T = list(frames(directory, "T"))[-1][0].reshape(96, 160)
    k = list(frames(directory, "k", "materials"))[-1][0].reshape(96, 160)
    figure, a = plt.subplots(figsize=(7, 3.6))
    shown = a.imshow(T - 273.15, origin="lower", extent=(0, 40, 0, 24), cmap="inferno")
    a.contour(np.linspace(0.125, 39.875, 160), np.linspace(0.125, 23.875, 96), np.log(k), colors="w", linewidths=0.5)
    a.set(title="power module, 51 s after it was switched on [°C]", xlabel="x [mm]", ylabel="y [mm]")
    figure.colorbar(shown, ax=a)
    save(figure, "heat-module.png")


package()
module()
