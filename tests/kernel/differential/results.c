/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "results.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct head {
    char magic[8];
    uint64_t digest; /* digest of the programs */
};

struct record {
    uint32_t kernel, outcome, bytes;
};

static int open_or_end(const char *path, int flags)
{
    const int file = open(path, flags, 0666);

    if (file < 0) {
        perror(path);
        exit(2);
    }
    return file;
}

static void write_or_end(int file, const void *bytes, size_t count)
{
    if (write(file, bytes, count) != (ssize_t)count) {
        perror("results");
        exit(2);
    }
}

void results_begin(const char *path, const struct programs *programs)
{
    const struct head head = {"results", programs->digest};
    const int file = open_or_end(path, O_WRONLY | O_CREAT | O_TRUNC);

    write_or_end(file, &head, sizeof head);
    close(file);
}

int results_continue(const char *path)
{
    return open_or_end(path, O_WRONLY | O_APPEND);
}

/* Written with one call, because several processes append to the file. */
void results_write(int file, size_t kernel, enum outcome outcome, const void *data, size_t bytes)
{
    const struct record record = {(uint32_t)kernel, outcome, (uint32_t)bytes};
    unsigned char *const whole = must_allocate(sizeof record + bytes);

    memcpy(whole, &record, sizeof record);
    memcpy(whole + sizeof record, data, bytes);
    write_or_end(file, whole, sizeof record + bytes);
    free(whole);
}

void results_write_text(int file, size_t kernel, enum outcome outcome, const char *text)
{
    results_write(file, kernel, outcome, text, strlen(text) + 1);
}

struct results *results_read(const char *path, const struct programs *programs)
{
    struct results *results = must_allocate(sizeof *results);
    struct head head;
    size_t bytes, at = sizeof head;

    results->file = read_file(path, &bytes);
    results->of = must_allocate(programs->count * sizeof *results->of);
    if (bytes >= sizeof head)
        memcpy(&head, results->file, sizeof head);
    if (bytes < sizeof head || strcmp(head.magic, "results") != 0 ||
        head.digest != programs->digest) {
        fprintf(stderr, "%s: results of other programs\n", path);
        exit(2);
    }
    while (at + sizeof(struct record) <= bytes) {
        struct record record;

        memcpy(&record, results->file + at, sizeof record);
        at += sizeof record;
        if (record.kernel >= programs->count || record.bytes > bytes - at)
            break;
        results->of[record.kernel] = (struct result){record.outcome, record.bytes,
                                                     (const unsigned char *)results->file + at};
        at += record.bytes;
    }
    return results;
}

void results_free(struct results *results)
{
    free(results->of);
    free(results->file);
    free(results);
}

/* --- distances --- */

static double value_of(unsigned bits, unsigned fraction, uint64_t number)
{
    const unsigned exponent_bits = bits - 1 - fraction;
    const int largest = (1 << exponent_bits) - 1, bias = largest >> 1;
    const int exponent = (int)(number >> fraction & (uint64_t)largest);
    const uint64_t low = number & ((UINT64_C(1) << fraction) - 1);
    double value;

    if (exponent == largest)
        value = low ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)low, 1 - bias - (int)fraction);
    else
        value = ldexp((double)(low | UINT64_C(1) << fraction), exponent - bias - (int)fraction);
    return number >> (bits - 1) & 1 ? -value : value;
}

/* Numbers as integers in the same order. */
static double rank_of(unsigned bits, uint64_t number)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);

    return number & sign ? -(double)(number & (sign - 1)) : (double)(number & (sign - 1));
}

static struct distance between(unsigned bits, unsigned fraction, uint64_t a, uint64_t b)
{
    const double x = value_of(bits, fraction, a), y = value_of(bits, fraction, b);
    struct distance distance = {0, 0, false};

    if ((x != x && y != y) || x == y)
        return distance;
    if (x - x != 0 || y - y != 0) {
        distance.other_kind = true;
        return distance;
    }
    distance.absolute = fabs(x - y);
    distance.units = a >> 52 == b >> 52 ? fabs((double)(int64_t)(a - b))
                                        : fabs(rank_of(bits, a) - rank_of(bits, b));
    return distance;
}

struct distance distance_between(enum accuracy accuracy, uint64_t a, uint64_t b)
{
    struct distance low, high;

    switch (accuracy) {
    case NEAR_F64:
        return between(64, 52, a, b);
    case NEAR_F32:
        return between(32, 23, a, b);
    case NEAR_F16:
        return between(16, 10, a & 0xffff, b & 0xffff);
    case NEAR_BF16:
        return between(16, 7, a & 0xffff, b & 0xffff);
    case NEAR_F16X2:
    case NEAR_BF16X2:
        accuracy = accuracy == NEAR_F16X2 ? NEAR_F16 : NEAR_BF16;
        low = distance_between(accuracy, a, b);
        high = distance_between(accuracy, a >> 16, b >> 16);
        low.other_kind |= high.other_kind;
        low.units = fmax(low.units, high.units);
        low.absolute = fmax(low.absolute, high.absolute);
        return low;
    default:
        return (struct distance){a != b, 0, false};
    }
}
