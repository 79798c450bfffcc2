/* SPDX-License-Identifier: Apache-2.0 */
/* The look at a file refuses none that a linker takes: this machine's libraries are sound. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <link.h>

#include "loader/elf.h"

enum { MOST_FILES = 4000, MOST_OPEN = 16 };

static unsigned looked_at, refused;

/* What is no library at all is no matter here. */
static void look_at(const char *path)
{
    struct cushim_candidate candidate;

    memset(&candidate, 0, sizeof candidate);
    if (strlen(path) >= sizeof candidate.path)
        return;
    strcpy(candidate.path, path);
    if (cushim__elf_check(&candidate))
        looked_at++;
    if (candidate.outcome != CUSHIM_OUTCOME_DAMAGED &&
        candidate.outcome != CUSHIM_OUTCOME_TRUNCATED)
        return;
    print_error("%s: %s\n", path, candidate.message);
    refused++;
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (object->dlpi_name[0] == '/')
        look_at(object->dlpi_name);
    return 0;
}

static void libraries_of_this_process_are_sound(void **state)
{
    (void)state;
    looked_at = refused = 0;
    dl_iterate_phdr(look_at_object, NULL);
    assert_int_equal(refused, 0);
    assert_true(looked_at > 0);
    print_message("%u libraries, %u refused\n", looked_at, refused);
}

static int look_at_file(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)walk;
    if (kind == FTW_F && strstr(path, ".so"))
        look_at(path);
    return looked_at >= MOST_FILES;
}

static void libraries_of_this_machine_are_sound(void **state)
{
    (void)state;
    looked_at = refused = 0;
    nftw("/usr/lib", look_at_file, MOST_OPEN, FTW_PHYS);
    assert_int_equal(refused, 0);
    if (looked_at == 0) {
        print_message("skipped: /usr/lib has no library for this processor\n");
        skip();
    }
    print_message("%u libraries, %u refused\n", looked_at, refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_of_this_process_are_sound),
        cmocka_unit_test(libraries_of_this_machine_are_sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
