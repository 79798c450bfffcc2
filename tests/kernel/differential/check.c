/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "run.h"

enum { KEPT = 256 }; /* approximate results */

/* What the child processes have found. */
static struct {
    size_t good, bad;
} * found;

static void complain(const struct kernel *kernel, const char *why)
{
    fprintf(stderr, "%s: %s\n", kernel->name, why);
    found->bad++;
}

static uint64_t number_at(const unsigned char *bytes, unsigned count)
{
    uint64_t value = 0;

    memcpy(&value, bytes, count);
    return value;
}

static void print_digest(const struct programs *programs, size_t index,
                         const unsigned char *results, const char *why)
{
    const struct kernel *const kernel = &programs->kernels[index];
    const unsigned bytes = kernel->result_bytes[0];

    if (!results) {
        complain(kernel, why);
        return;
    }
    printf("%08x ", (unsigned)(kernel->text_digest & 0xffffffff));
    if (kernel->accuracy == EXACT) {
        printf("%016" PRIx64 " %u %s\n", digest_of(DIGEST_START, results, results_bytes(kernel)),
               kernel->count, kernel->name);
        return;
    }
    printf("near %u %s\n", KEPT, kernel->name);
    for (size_t thread = 0; thread < KEPT; thread++)
        printf("%" PRIx64 "%c", number_at(results + thread * bytes, bytes),
               thread % 16 == 15 ? '\n' : ' ');
}

bool digest_all(const struct programs *programs, bool mock)
{
    found = must_share(sizeof *found);
    printf("seed %" PRIu64 "\n", programs->seed);
    return run(programs, mock, "", print_digest) && found->bad == 0;
}

static void print_results(const struct programs *programs, size_t index,
                          const unsigned char *results, const char *why)
{
    const struct kernel *const kernel = &programs->kernels[index];
    uint64_t *operands, *operand;

    printf("%.*s", (int)kernel->text_bytes, kernel->text);
    if (!results) {
        complain(kernel, why);
        return;
    }
    operand = operands = must_allocate(BUFFER_BYTES);
    operands_fill(kernel, programs->seed, operands);
    for (size_t thread = 0; thread < kernel->count; thread++) {
        printf("thread %zu:", thread);
        for (unsigned i = 0; i < kernel->operand_count; i++)
            printf(" %" PRIx64, *operand++);
        printf(" ->");
        for (unsigned i = 0; i < kernel->result_count; results += kernel->result_bytes[i], i++)
            printf(" %0*" PRIx64, (int)kernel->result_bytes[i] * 2,
                   number_at(results, kernel->result_bytes[i]));
        printf("\n");
    }
    found->good++;
    free(operands);
}

bool show_one(const struct programs *programs, bool mock, const char *name)
{
    found = must_share(sizeof *found);
    return run(programs, mock, name, print_results) && found->good == 1;
}

/* --- comparison with a file of digests --- */

/* For each program: its digest, or the approximate results that the file has. */
static char **expected;

static void check_near(const struct kernel *kernel, const unsigned char *results, char *next)
{
    const unsigned bytes = kernel->result_bytes[0];

    for (size_t thread = 0; thread < KEPT; thread++) {
        if (!is_near(kernel, strtoull(next, &next, 16),
                     number_at(results + thread * bytes, bytes))) {
            char line[64];

            snprintf(line, sizeof line, "too far from the GPU's, first in thread %zu", thread);
            complain(kernel, line);
            return;
        }
    }
    found->good++;
}

static void check_one(const struct programs *programs, size_t index, const unsigned char *results,
                      const char *why)
{
    const struct kernel *const kernel = &programs->kernels[index];

    if (!results)
        complain(kernel, why);
    else if (kernel->accuracy != EXACT)
        check_near(kernel, results, expected[index]);
    else if (strtoull(expected[index], NULL, 16) !=
             digest_of(DIGEST_START, results, results_bytes(kernel)))
        complain(kernel, "the results are not those of the GPU");
    else
        found->good++;
}

/* Find what the file has for each program; it must have the same programs in the same order. */
static bool read_digests(const struct programs *programs, char *file, const char *path)
{
    char *next = strchr(file, '\n');
    uint64_t seed = 0;

    if (!next || sscanf(file, "seed %" SCNu64, &seed) != 1 || seed != programs->seed) {
        fprintf(stderr, "%s: digests of another seed\n", path);
        return false;
    }
    next++;
    for (size_t i = 0; i < programs->count; i++) {
        const struct kernel *const kernel = &programs->kernels[i];
        char *const end = strchr(next, '\n');
        unsigned text_digest = 0;
        int digest = 0, name = 0;

        if (end)
            *end = '\0';
        if (!end || sscanf(next, "%x %n%*s %*u %n", &text_digest, &digest, &name) != 1 ||
            text_digest != (unsigned)(kernel->text_digest & 0xffffffff) ||
            strcmp(next + name, kernel->name) != 0) {
            fprintf(stderr, "%s: has '%s' where '%s' is due\n", path, next, kernel->name);
            return false;
        }
        expected[i] = kernel->accuracy == EXACT ? next + digest : end + 1;
        next = end + 1;
        for (size_t line = 0; kernel->accuracy != EXACT && line < KEPT / 16; line++)
            next = strchr(next, '\n') + 1;
    }
    return true;
}

bool check_all(const struct programs *programs, bool mock, const char *path)
{
    size_t bytes;
    char *const file = read_file(path, &bytes);
    bool well;

    found = must_share(sizeof *found);
    expected = must_allocate(programs->count * sizeof *expected);
    well = read_digests(programs, file, path) && run(programs, mock, "", check_one);
    printf("%zu forms as on the GPU, %zu not\n", found->good, found->bad);
    free(expected);
    free(file);
    return well && found->good == programs->count;
}
