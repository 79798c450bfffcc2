/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a compiler for several programs, with and without optimisation, compared with the
 * same computation on the host.
 */
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "programs.inc"

enum { THREADS = 96 };

static const struct {
    const char *name;
    void (*on_host)(void *out);
} programs[] = {
    {"collatz", collatz}, {"recursion", recursion}, {"structures", structures},
    {"sieve", sieve},     {"numbers", numbers},     {"hash", hash},
};

static void read_file(const char *name, char *text, size_t size)
{
    char path[1000];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", PROGRAMS, name);
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void results_are_those_of_the_host(const char *name)
{
    static char text[1 << 18];
    struct ptx_module *module;

    read_file(name, text, sizeof text);
    module = translate(text);
    for (size_t i = 0; i < COUNT(programs); i++) {
        const uint64_t out = device_memory(THREADS * 4);
        uint32_t expected[THREADS];

        for (thread = 0; thread < THREADS; thread++)
            programs[i].on_host(expected);
        assert_int_equal(run(module, programs[i].name,
                             (struct run){.block = THREADS, .parameters = &out, .bytes = 8}),
                         PTX_ENDED);
        assert_memory_equal(device_bytes(out), expected, sizeof expected);
    }
    cushim__ptx_release(module);
}

static void code_without_optimisation(void **state)
{
    (void)state;
    results_are_those_of_the_host("programs-O0.ptx");
}

static void optimised_code(void **state)
{
    (void)state;
    results_are_those_of_the_host("programs-O2.ptx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(code_without_optimisation),
        KERNEL_TEST(optimised_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
