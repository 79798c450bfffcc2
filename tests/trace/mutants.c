/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutants FILE COUNT: make COUNT copies of a trace file with a few random changes, and read each.
 * The changes are the same in every run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/trace/check.h"

enum { LARGEST = 1 << 20, PATH_BYTES = 4096 };

static uint64_t random_state;

static uint64_t random_below(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (random_state >> 33) % below;
}

/*
 * A field of the header, or a word of a record; a random offset would mostly hit the zeros of a
 * chunk.
 */
static size_t choose_place(const unsigned char *bytes, size_t size)
{
    static const unsigned char zeros[8];
    const size_t fields = offsetof(struct trace_header, program);
    size_t place;

    if (random_below(8) == 0)
        return random_below(fields / 8) * 8;
    do
        place = TRACE_HEADER_BYTES + random_below((size - TRACE_HEADER_BYTES) / 8) * 8;
    while (memcmp(bytes + place, zeros, sizeof zeros) == 0);
    return place;
}

static void change(unsigned char *bytes, size_t size)
{
    static const uint64_t numbers[] = {
        0, 1, 0xff, 0xffff, UINT32_MAX, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, 65536, 4096};
    size_t place = choose_place(bytes, size);
    const uint64_t number = numbers[random_below(sizeof numbers / sizeof numbers[0])];
    const size_t width = (size_t)1 << random_below(4);
    uint64_t word;

    place += random_below(8 / width) * width;
    switch (random_below(4)) {
    case 0:
        bytes[place] ^= (unsigned char)(1 << random_below(8));
        break;
    case 1:
        memcpy(bytes + place, &number, width);
        break;
    case 2: /* a word from elsewhere */
        memcpy(bytes + place / 8 * 8, bytes + choose_place(bytes, size), 8);
        break;
    default: /* a small difference */
        memcpy(&word, bytes + place / 8 * 8, sizeof word);
        word += random_below(64) - 32;
        memcpy(bytes + place / 8 * 8, &word, sizeof word);
    }
}

static void save(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    CLAIM(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

int main(int count, char **words)
{
    static unsigned char bytes[LARGEST], mutant[LARGEST];
    char path[PATH_BYTES];
    size_t size, cut, read = 0;
    long wanted;
    FILE *file;

    if (count != 3 || !(file = fopen(words[1], "rb")))
        return 2;
    size = fread(bytes, 1, sizeof bytes, file) / 8 * 8;
    fclose(file);
    snprintf(path, sizeof path, "%s.mutant", words[1]);
    wanted = strtol(words[2], NULL, 10);
    CLAIM(trace_check(words[1]) && size < LARGEST);
    for (long i = 0; i < wanted; i++) {
        snprintf(fuzz_place, sizeof fuzz_place, "mutant %ld", i);
        random_state = (uint64_t)i * 7919 + 1;
        memcpy(mutant, bytes, size);
        for (uint64_t k = 1 + random_below(6); k > 0; k--)
            change(mutant, size);
        cut = random_below(4) == 0 ? random_below(size) : size;
        save(path, mutant, cut);
        read += trace_check(path);
    }
    printf("%ld mutants, of which %zu could be read\n", wanted, read);
    /* Most changes are after the header. */
    CLAIM(2 * read > (size_t)wanted && read < (size_t)wanted);
    return 0;
}
