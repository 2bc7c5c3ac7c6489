/* The nearest known word, and whole log lines of rank 0 only. */
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"

static const char *near(const char *word)
{
    static const char *const known[] = { "cells", "lower", "upper", "length", "tolerance", "until_steady", "k", "F" };
    const char              *found = eg_nearest(word, known, EG_COUNT(known));

    return found != NULL ? found : "none";
}

static void check_nearest(void)
{
    CHECK_TEXT(near("cels"), "cells");
    CHECK_TEXT(near("cellss"), "cells");
    CHECK_TEXT(near("clels"), "cells");
    CHECK_TEXT(near("CELLS"), "cells");
    CHECK_TEXT(near("lenght"), "length");
    CHECK_TEXT(near("uper"), "upper");
    CHECK_TEXT(near("tol"), "tolerance");
    CHECK_TEXT(near("until-steady"), "until_steady");
    CHECK_TEXT(near("f"), "F");
    CHECK_TEXT(near("q"), "none");
    CHECK_TEXT(near(""), "none");
    CHECK_TEXT(near("viscosity"), "none");
    CHECK_TEXT(near("a_word_that_is_longer_than_sixty_four_letters_is_near_to_no_other_word"), "none");
    CHECK(eg_nearest("cells", NULL, 0) == NULL);
}

/* What log calls write to a stream of the process, by a temporary file in its place. */
static void check_log(void)
{
    FILE *file = tmpfile();
    int   kept = dup(STDERR_FILENO);
    char  text[256] = "";

    dup2(fileno(file), STDERR_FILENO);
    eg_warn("write less", "%d frames", 3);
    eg_warn("", "no fix");
    eg_log_rank(1);
    eg_warn("nobody", "hears this");
    eg_info("nor this");
    eg_log_rank(0);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    CHECK_TEXT(text, "warning: 3 frames\n  fix: write less\nwarning: no fix\n");
}

int main(void)
{
    const double before = eg_seconds();

    check_nearest();
    check_log();
    CHECK(eg_seconds() >= before);
    return check_end();
}
