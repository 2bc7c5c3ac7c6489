/* cases.c - the inputs of --verify: each is a run of its own with a known answer, a few seconds at most. */
#include "verify.h"

#define UNIT_MATERIAL "[material.unit]\nk = 1\nrho = 1\nc = 1\n"

/* A wall of three layers, whose faces are faces of cells too. */
#define WALL                                                                                                          \
    "[grid]\ncells = 24 4\nlength = 24 4 mm\n"                                                                        \
    "[material.brick]\nk = 0.5\nrho = 1000\nc = 10\n"                                                                 \
    "[material.wool]\nk = 0.25\nrho = 1000\nc = 10\n"                                                                 \
    "[material.stone]\nk = 2.5\nrho = 1000\nc = 10\n"                                                                  \
    "[layer.wool]\nmaterial = wool\naxis = x\nlower = 10 mm\nupper = 16 mm\n"                                         \
    "[layer.stone]\nmaterial = stone\naxis = x\nlower = 16 mm\nupper = 24 mm\n"                                       \
    "[initial]\nT = 300\n[verify]\ncase = wall\n"

const eagle_case verify_cases[] = {
    { "mode, one axis, euler", "the decay of the scheme itself, (1 - 4 r sin^2(pi h/2))^N",
      "[grid]\ncells = 64 4\nlower = 0 0\nlength = 1 0.0625\n"
      "[edges]\nx = fixed 0\ny = mirror\n" UNIT_MATERIAL "[initial]\nT = sin(pi*x)\n"
      "[time]\ndt = 6.103515625e-5\nsteps = 1638\n[check]\nevery = 100\n[verify]\ncase = sine\n" },
    { "mode, two axes, euler", "as above",
      "[grid]\ncells = 64 64\nlower = 0 0\nlength = 1 1\n"
      "[edges]\nx = fixed 0\ny = fixed 0\n" UNIT_MATERIAL "[initial]\nT = sin(pi*x)*sin(pi*y)\n"
      "[time]\ndt = 4.8828125e-5\nsteps = 1024\n[check]\nevery = 100\n[verify]\ncase = sine\n" },
    { "mode, three axes, euler, fields", "as above; k, rho_c and q from fields",
      "[grid]\ncells = 16 16 16\nlower = 0 0 0\nlength = 1 1 1\n[model]\nkernel = general\n"
      "[edges]\nx = fixed 0\ny = fixed 0\nz = fixed 0\n" UNIT_MATERIAL "[initial]\nT = sin(pi*x)*sin(pi*y)*sin(pi*z)\n"
      "[time]\ndt = 4e-4\nsteps = 100\n[check]\nevery = 10\n[verify]\ncase = sine\n" },
    { "mode, three axes, rkl2", "the stability polynomial of RKL2, Meyer, Balsara and Aslam 2014, eq. 16",
      "[grid]\ncells = 16 16 16\nlower = 0 0 0\nlength = 1 1 1\n"
      "[edges]\nx = fixed 0\ny = fixed 0\nz = fixed 0\n" UNIT_MATERIAL "[initial]\nT = sin(pi*x)*sin(pi*y)*sin(pi*z)\n"
      "[time]\nscheme = rkl2\nstages = 9\ndt = 5e-3\nsteps = 8\n[check]\nevery = 1\n[verify]\ncase = sine\n" },
    { "wall of three layers", "piecewise linear, the heat passing all resistances in series",
      WALL "[edges]\nx_lower = fixed 340\nx_upper = fixed 290\ny = mirror\n"
           "[time]\nscheme = rkl2\nstages = 31\nend = 60\n[check]\nevery = 100\n" },
    { "wall between two fluids", "as above, with the resistances 1/h of the films",
      WALL "[edges]\nx_lower = convection 50 340\nx_upper = convection 100 290\ny = mirror\n"
           "[time]\nscheme = rkl2\nstages = 31\nend = 200\n[check]\nevery = 100\n" },
    { "closed box", "nothing enters, nothing leaves",
      "[grid]\ncells = 32 32\nlower = 0 0\nlength = 1 1\n[edges]\nx = periodic\ny = mirror\n"
      "[material.a]\nk = 1\nrho = 1\nc = 1\n[material.b]\nk = 40\nrho = 3\nc = 1\n"
      "[disc.inside]\nmaterial = b\ncentre = 0.4 0.5\nradius = 0.3\n"
      "[initial]\nT = 300 + 50*x*y\n[time]\nsteps = 10000\n[check]\nevery = 1000\n[verify]\ncase = box\n" },
    { "ISO 10211, case 1", "EN ISO 10211, annex C: 28 temperatures in a square column",
      "[grid]\ncells = 64 64\nlower = 0 0\nlength = 1 1\n"
      "[edges]\nx = fixed 0\ny_lower = fixed 0\ny_upper = fixed 20\n" UNIT_MATERIAL "[initial]\nT = 20*y\n"
      "[time]\nscheme = rkl2\nstages = 15\nend = 1.5\n[check]\nevery = 50\n[verify]\ncase = iso10211\n" },
    { 0 }
};
