/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run a target on its corpus, with any compiler: each input unchanged, cut off at some places, and
 * with one byte changed at some places.
 *
 *     replay NAME LEAST FOLDER
 *
 * Fewer inputs than LEAST are a failure. With `--whole` instead of the name, the inputs run
 * unchanged only.
 *
 * Each file of the folder is an input, except for `rows`, in which each line is an input, with the
 * escapes \n, \r, \t, \\, \0 and \xHH for other bytes. Lines that are empty or begin with # are
 * ignored.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { LARGEST = 1 << 20, PLACES = 16, PATH_BYTES = 4096 };

static unsigned long inputs, cuts, changes;
static bool is_whole;

/* The input has an allocation of exactly its size, so that accesses beyond it are detected. */
static void feed(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = fuzz_memory(size);

    if (size)
        memcpy(copy, bytes, size);
    if (LLVMFuzzerTestOneInput(copy, size) > 0)
        fuzz_fail(__FILE__, __LINE__, "a target answers 0 or -1", fuzz_place);
    free(copy);
}

/* The places are the same in every run, and spread over the whole input. */
static void feed_variants(uint8_t *bytes, size_t size)
{
    static const uint8_t flips[] = {0xff, 0x01, 0x80, 0x20};

    for (size_t i = 0; i < PLACES && i < size; i++) {
        const size_t at = size * i / PLACES;
        const uint8_t before = bytes[at];

        feed(bytes, at);
        cuts++;
        bytes[at] = (uint8_t)(before ^ flips[i % sizeof flips]);
        feed(bytes, size);
        bytes[at] = before;
        changes++;
    }
}

static void feed_input(uint8_t *bytes, size_t size)
{
    feed(bytes, size);
    inputs++;
    if (!is_whole)
        feed_variants(bytes, size);
}

static int digit(char letter)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = letter ? strchr(digits, letter) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Replace the escapes in a row, in place. Returns the number of bytes; -1: an unknown escape. */
static long read_row(char *row)
{
    static const char letters[] = "nrt\\0", bytes[] = "\n\r\t\\";
    const char *const begin = row;
    char *to = row;

    while (*row) {
        const char *letter = row[0] == '\\' && row[1] ? strchr(letters, row[1]) : NULL;

        if (letter) {
            *to++ = bytes[letter - letters];
            row += 2;
        } else if (row[0] == '\\' && row[1] == 'x' && digit(row[2]) >= 0 && digit(row[3]) >= 0) {
            *to++ = (char)(digit(row[2]) << 4 | digit(row[3]));
            row += 4;
        } else if (row[0] == '\\') {
            return -1;
        } else {
            *to++ = *row++;
        }
    }
    return to - begin;
}

static bool feed_rows(const char *path, char *rows)
{
    char *end;

    for (unsigned line = 1; *rows; line++, rows = end) {
        long size;

        end = rows + strcspn(rows, "\n");
        if (*end)
            *end++ = '\0';
        if (rows[0] == '\0' || rows[0] == '#')
            continue;
        size = read_row(rows);
        if (size < 0) {
            fprintf(stderr, "%s:%u: there is no such escape\n", path, line);
            return false;
        }
        snprintf(fuzz_place, sizeof fuzz_place, "%.200s:%u", path, line);
        feed_input((uint8_t *)rows, (size_t)size);
    }
    return true;
}

static bool feed_file(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    bool is_read = true;
    FILE *file;
    char *bytes;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    bytes = fuzz_memory(LARGEST + 1);
    size = fread(bytes, 1, LARGEST, file);
    bytes[size] = '\0';
    fclose(file);
    snprintf(fuzz_place, sizeof fuzz_place, "%.200s", path);
    if (strcmp(name, "rows") == 0)
        is_read = feed_rows(path, bytes);
    else
        feed_input((uint8_t *)bytes, size);
    free(bytes);
    return is_read;
}

static bool feed_folder(const char *name)
{
    DIR *folder = opendir(name);
    const struct dirent *entry;
    bool is_read = true;

    if (!folder) {
        perror(name);
        return false;
    }
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] != '.')
            is_read = feed_file(name, entry->d_name) && is_read;
    }
    closedir(folder);
    return is_read;
}

int main(int count, char **words)
{
    unsigned long least;

    if (count != 4) {
        fprintf(stderr, "usage: replay NAME|--whole LEAST FOLDER\n");
        return EXIT_FAILURE;
    }
    is_whole = strcmp(words[1], "--whole") == 0;
    least = strtoul(words[2], NULL, 10);
    if (!feed_folder(words[3]))
        return EXIT_FAILURE;
    printf("%s: %lu inputs, %lu cut off, %lu with a byte changed, 0 crashed\n", words[1], inputs,
           cuts, changes);
    if (inputs < least)
        fprintf(stderr, "the corpus has fewer than %lu inputs\n", least);
    return inputs >= least ? EXIT_SUCCESS : EXIT_FAILURE;
}
