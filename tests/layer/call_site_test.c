/* SPDX-License-Identifier: Apache-2.0 */
/* Call sites as text: which addresses belong to the program, and which to cushim. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "src/base/call_site.h"
#include "tests/support/cmocka.h"
#include "tests/support/folder.h"

/* A return address in one of cushim's libraries, and one in this program. */
static uintptr_t own, program;

/* Load a library whose name begins like cushim's own. */
static int setup(void **state)
{
    unsigned char *bytes;
    size_t size;
    void *library;

    folder_create(state);
    bytes = folder_read(FAKE_LIBRARY, &size);
    assert_non_null(bytes);
    library = dlopen(folder_write("libcushim-test.so.0", bytes, size), RTLD_NOW | RTLD_LOCAL);
    free(bytes);
    assert_non_null(library);
    own = (uintptr_t)dlsym(library, "cuInit") + 1;
    program = (uintptr_t)setup + 1;
    return 0;
}

static const char *text_of(const struct cushim__call_site *site)
{
    static char words[400];
    struct cushim__text text;

    cushim__text_begin(&text, words, sizeof words);
    cushim__call_site_print(&text, site);
    return words;
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;

    while ((text = strstr(text, part)) != NULL) {
        found++;
        text++;
    }
    return found;
}

TEST_ALONE(address_is_reported_by_its_file_and_three_at_most)
{
    const struct cushim__call_site site = {{program, program, program, program}};

    assert_int_equal(count(text_of(&site), "call_site_test+0x"), 3);
}

TEST_ALONE(address_in_no_file_is_printed_unchanged)
{
    const struct cushim__call_site site = {{0x1235}};

    assert_string_equal(text_of(&site), "?+0x1234");
}

TEST_ALONE(no_address_is_an_unknown_place)
{
    const struct cushim__call_site none = {{0}}, only_own = {{own, own}};

    assert_string_equal(text_of(&none), "an unknown place");
    assert_string_equal(text_of(&only_own), "an unknown place");
}

TEST_ALONE(cushims_own_is_left_out_before_the_program_and_ends_it_behind)
{
    const struct cushim__call_site site = {{own, own, program, own, program}};

    assert_int_equal(count(text_of(&site), "call_site_test+0x"), 1);
    assert_int_equal(count(text_of(&site), "libcushim"), 0);
    assert_int_equal(count(text_of(&site), " "), 0);
}

int main(void)
{
    return run_all_tests(setup, folder_remove);
}
