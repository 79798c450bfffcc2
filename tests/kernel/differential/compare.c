/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

enum { SHOWN = 6, KEPT = 256 };

struct total {
    size_t kernels, results, different_kernels, different_results, skipped;
};

struct worst {
    struct distance distance;
    size_t units_thread, kind_thread, kinds;
    size_t far_thread, far;
};

/*
 * The permitted difference of an approximate result from the GPU's, in units of the last place or
 * absolute: the error in the PTX reference, and half a unit for the interpreter.
 */
static const struct {
    const char *opcode;
    double units, absolute;
} permitted[] = {
    {"rcp.approx.ftz.f64", 0x1p33, 0},
    {"rsqrt.approx.ftz.f64", 0x1p33, 0},
    {"tanh.approx.f32", 0x1p12, 0},
    {"sin", 0, 0x1p-20},
    {"cos", 0, 0x1p-20},
    {"lg2", 2, 0x1p-22},
    {"div.approx.ftz", 2, 0x1p-126}, /* one of them is flushed to zero */
    {"div.full.ftz", 2, 0x1p-126},
    {"", 2, 0},
};

static bool is_far(const struct kernel *kernel, const struct distance *distance)
{
    size_t i = 0;

    while (strncmp(kernel->name, permitted[i].opcode, strlen(permitted[i].opcode)) != 0)
        i++;
    return distance->other_kind ||
           (distance->units > permitted[i].units && distance->absolute > permitted[i].absolute);
}

/* The size of one thread's results in bytes. */
static size_t stride_of(const struct kernel *kernel)
{
    return results_bytes(kernel) / kernel->count;
}

static uint64_t number_at(const unsigned char *bytes, unsigned count)
{
    uint64_t value = 0;

    memcpy(&value, bytes, count);
    return value;
}

static void print_results(const struct kernel *kernel, const unsigned char *bytes)
{
    for (unsigned i = 0; i < kernel->result_count; bytes += kernel->result_bytes[i], i++)
        printf(" %0*" PRIx64, (int)kernel->result_bytes[i] * 2,
               number_at(bytes, kernel->result_bytes[i]));
}

static void print_tuple(const struct kernel *kernel, const uint64_t *operands, size_t thread,
                        const unsigned char *a, const unsigned char *b)
{
    const size_t stride = stride_of(kernel);

    printf("    thread %zu:", thread);
    for (unsigned i = 0; i < kernel->operand_count; i++)
        printf(" %" PRIx64, operands[thread * kernel->operand_count + i]);
    printf(" ->");
    print_results(kernel, a + thread * stride);
    if (b) {
        printf(" |");
        print_results(kernel, b + thread * stride);
    }
    printf("\n");
}

static uint64_t *operands_of(const struct programs *programs, const struct kernel *kernel)
{
    uint64_t *operands = must_allocate(BUFFER_BYTES);

    operands_fill(kernel, programs->seed, operands);
    return operands;
}

/* Compare bit for bit; the first few differences are printed. */
static void compare_exact(const struct programs *programs, const struct kernel *kernel,
                          const unsigned char *a, const unsigned char *b, struct total *total)
{
    const size_t stride = stride_of(kernel);
    size_t different = 0;
    uint64_t *operands;

    total->kernels++;
    total->results += (size_t)kernel->count * kernel->result_count;
    if (memcmp(a, b, results_bytes(kernel)) == 0)
        return;
    for (size_t thread = 0; thread < kernel->count; thread++)
        different += memcmp(a + thread * stride, b + thread * stride, stride) != 0;
    total->different_kernels++;
    total->different_results += different;
    printf("%-40s %6zu of %6u threads differ\n", kernel->name, different, kernel->count);
    operands = operands_of(programs, kernel);
    different = 0;
    for (size_t thread = 0; thread < kernel->count && different < SHOWN; thread++) {
        if (memcmp(a + thread * stride, b + thread * stride, stride) != 0) {
            print_tuple(kernel, operands, thread, a, b);
            different++;
        }
    }
    free(operands);
}

static struct worst worst_of(const struct kernel *kernel, const unsigned char *a,
                             const unsigned char *b, size_t threads)
{
    struct worst worst = {.distance.units = -1};
    const unsigned bytes = kernel->result_bytes[0];

    for (size_t thread = 0; thread < threads; thread++) {
        const struct distance here =
            distance_between(kernel->accuracy, number_at(a + thread * bytes, bytes),
                             number_at(b + thread * bytes, bytes));

        if (here.other_kind && worst.kinds++ == 0)
            worst.kind_thread = thread;
        if (is_far(kernel, &here) && worst.far++ == 0)
            worst.far_thread = thread;
        if (here.units > worst.distance.units) {
            worst.distance.units = here.units;
            worst.units_thread = thread;
        }
        worst.distance.absolute = fmax(worst.distance.absolute, here.absolute);
    }
    worst.distance.other_kind = worst.kinds > 0;
    return worst;
}

static void compare_near(const struct programs *programs, const struct kernel *kernel,
                         const unsigned char *a, const unsigned char *b, struct total *total)
{
    const struct worst worst = worst_of(kernel, a, b, kernel->count);
    uint64_t *operands = operands_of(programs, kernel);

    total->kernels++;
    total->results += kernel->count;
    total->different_kernels += worst.far > 0;
    total->different_results += worst.far;
    printf("%-28s %5u results, worst %.6g ulp, %.3g absolute, %zu too far, %zu of another kind\n",
           kernel->name, kernel->count, worst.distance.units, worst.distance.absolute, worst.far,
           worst.kinds);
    if (worst.distance.units > 0)
        print_tuple(kernel, operands, worst.units_thread, a, b);
    if (worst.far)
        print_tuple(kernel, operands, worst.far_thread, a, b);
    if (worst.kinds)
        print_tuple(kernel, operands, worst.kind_thread, a, b);
    free(operands);
}

static void print_outcome(const char *path, const struct result *result)
{
    static const char *const words[] = {"missing", "computed", "refused", "faulted"};

    printf("    %s: %s%s%s\n", path, words[result->outcome],
           result->outcome == REFUSED || result->outcome == FAULTED ? ": " : "",
           result->outcome == REFUSED || result->outcome == FAULTED ? (const char *)result->data
                                                                    : "");
}

static void print_total(const char *what, const struct total *total)
{
    printf("%s: %zu forms with %zu results; different: %zu forms, %zu threads\n", what,
           total->kernels, total->results, total->different_kernels, total->different_results);
}

bool compare_results(const struct programs *programs, const char *path, const char *other)
{
    struct results *a = results_read(path, programs), *b = results_read(other, programs);
    struct total exact = {0}, near = {0};
    size_t only_one = 0, neither = 0;

    for (size_t i = 0; i < programs->count; i++) {
        const struct kernel *const kernel = &programs->kernels[i];

        if (a->of[i].outcome == COMPUTED && b->of[i].outcome == COMPUTED) {
            if (kernel->accuracy == EXACT)
                compare_exact(programs, kernel, a->of[i].data, b->of[i].data, &exact);
            else
                compare_near(programs, kernel, a->of[i].data, b->of[i].data, &near);
        } else if (a->of[i].outcome == b->of[i].outcome) {
            neither++;
        } else {
            printf("%s\n", kernel->name);
            print_outcome(path, &a->of[i]);
            print_outcome(other, &b->of[i]);
            only_one++;
        }
    }
    print_total("exact", &exact);
    print_total("approximate", &near);
    printf("computed by one only: %zu; by neither: %zu\n", only_one, neither);
    results_free(a);
    results_free(b);
    return exact.different_kernels == 0 && near.different_kernels == 0 && only_one == 0;
}

/* --- digests --- */

bool compare_digest(const struct programs *programs, const char *path)
{
    struct results *results = results_read(path, programs);

    printf("seed %" PRIu64 "\n", programs->seed);
    for (size_t i = 0; i < programs->count; i++) {
        const struct kernel *const kernel = &programs->kernels[i];
        const struct result *const result = &results->of[i];
        const unsigned bytes = kernel->result_bytes[0];

        printf("%08x ", (unsigned)(kernel->text_digest & 0xffffffff));
        if (result->outcome != COMPUTED) {
            printf("%s %u %s\n", result->outcome == MISSING ? "missing" : "refused", kernel->count,
                   kernel->name);
        } else if (kernel->accuracy == EXACT) {
            printf("%016" PRIx64 " %u %s\n", digest_of(DIGEST_START, result->data, result->bytes),
                   kernel->count, kernel->name);
        } else {
            printf("near %u %s\n", KEPT, kernel->name);
            for (size_t thread = 0; thread < KEPT; thread++)
                printf("%" PRIx64 "%c", number_at(result->data + thread * bytes, bytes),
                       thread % 16 == 15 ? '\n' : ' ');
        }
    }
    results_free(results);
    return true;
}

/* Read the approximate results of a file of digests, in the form of results_pack(). */
static char *read_near(char *next, const struct kernel *kernel, unsigned char *packed)
{
    for (size_t thread = 0; thread < KEPT; thread++) {
        const uint64_t value = strtoull(next, &next, 16);

        memcpy(packed + thread * kernel->result_bytes[0], &value, kernel->result_bytes[0]);
    }
    return next + strspn(next, " \n");
}

static bool check_one(const struct kernel *kernel, const unsigned char *packed,
                      const unsigned char *near, const char *digest)
{
    char text[20];
    struct worst worst;

    if (kernel->accuracy == EXACT) {
        snprintf(text, sizeof text, "%016" PRIx64,
                 digest_of(DIGEST_START, packed, results_bytes(kernel)));
        if (strcmp(text, digest) == 0)
            return true;
        printf("%s: the results are not those of the GPU\n", kernel->name);
        return false;
    }
    worst = worst_of(kernel, near, packed, KEPT);
    if (worst.far == 0)
        return true;
    printf("%s: too far from the GPU's in %zu threads, first in %zu\n", kernel->name, worst.far,
           worst.far_thread);
    return false;
}

bool compare_check(const struct programs *programs, const char *path, const char *digests)
{
    size_t bytes, good = 0, bad = 0, skipped = 0;
    struct results *results = results_read(path, programs);
    char *const file = read_file(digests, &bytes);
    char *next = strchr(file, '\n');
    unsigned char *near = must_allocate(BUFFER_BYTES);
    uint64_t seed = 0;

    if (!next || sscanf(file, "seed %" SCNu64, &seed) != 1 || seed != programs->seed) {
        fprintf(stderr, "%s: digests of another seed\n", digests);
        return false;
    }
    next++;
    for (size_t i = 0; i < programs->count; i++) {
        const struct kernel *const kernel = &programs->kernels[i];
        char *const end = strchr(next, '\n');
        unsigned text_digest, count;
        char digest[20];
        int used;

        if (!end || sscanf(next, "%x %19s %u %n", &text_digest, digest, &count, &used) != 3) {
            fprintf(stderr, "%s: ends before %s\n", digests, kernel->name);
            bad++;
            break;
        }
        *end = '\0';
        if (text_digest != (unsigned)(kernel->text_digest & 0xffffffff) ||
            strcmp(next + used, kernel->name) != 0) {
            fprintf(stderr, "%s: has '%s' of another text where '%s' is due\n", digests,
                    next + used, kernel->name);
            bad++;
            break;
        }
        next = end + 1;
        if (strcmp(digest, "near") == 0)
            next = read_near(next, kernel, near);
        if (strcmp(digest, "refused") == 0 || strcmp(digest, "missing") == 0) {
            skipped++;
        } else if (results->of[i].outcome != COMPUTED) {
            printf("%s\n", kernel->name);
            print_outcome(path, &results->of[i]);
            bad++;
        } else if (check_one(kernel, results->of[i].data, near, digest)) {
            good++;
        } else {
            bad++;
        }
    }
    printf("%zu forms as on the GPU, %zu not, %zu without results of a GPU\n", good, bad, skipped);
    results_free(results);
    free(near);
    free(file);
    return bad == 0 && good > 0;
}
