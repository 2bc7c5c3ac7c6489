/* keep_modules.c - linked into programs of the asan preset: modules that a library loaded stay loaded, so that the leak
 * checker can still name the one that a block was allocated by, and tests/lsan.supp can name those of MPI. */
int dlclose(void *module);

int dlclose(void *module)
{
    (void)module;
    return 0;
}
