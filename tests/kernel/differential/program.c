/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char module_head[] = ".version 8.3\n.target sm_90\n.address_size 64\n";

void *must_allocate(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);

    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return memory;
}

uint64_t digest_of(uint64_t start, const void *bytes, size_t count)
{
    const unsigned char *next = bytes;

    for (size_t i = 0; i < count; i++)
        start = (start ^ next[i]) * UINT64_C(0x100000001b3);
    return start;
}

char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        text = must_allocate((size_t)size + 1);
        *bytes = fread(text, 1, (size_t)size, file);
    }
    if (!text) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return text;
}

static void malformed(const char *what)
{
    fprintf(stderr, "the file of programs is malformed: %s\n", what);
    exit(2);
}

static enum accuracy accuracy_of(const char *word)
{
    static const char *const words[ACCURACIES] = {"exact", "f32",   "f64",   "f16",
                                                  "bf16",  "f16x2", "bf16x2"};

    for (unsigned i = 0; i < ACCURACIES; i++) {
        if (strcmp(words[i], word) == 0)
            return (enum accuracy)i;
    }
    malformed(word);
    return EXACT;
}

/* Parse `a,b,c`, or `-` for none. */
static unsigned list(char *text, unsigned *values, unsigned (*value)(const char *))
{
    unsigned count = 0;

    if (strcmp(text, "-") == 0)
        return 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (count == MOST_SLOTS)
            malformed("too many operands or results");
        values[count++] = value(word);
    }
    return count;
}

static unsigned result_width(const char *word)
{
    if (strcmp(word, "p") == 0)
        return 1;
    return (unsigned)atoi(word + 1) / 8;
}

struct programs *programs_read(const char *path)
{
    struct programs *programs = must_allocate(sizeof *programs);
    size_t bytes;
    char *next;
    int used;

    programs->file = read_file(path, &bytes);
    programs->digest = digest_of(DIGEST_START, programs->file, bytes);
    if (sscanf(programs->file, "programs %" SCNu64 " %zu\n%n", &programs->seed, &programs->count,
               &used) != 2)
        malformed("its first line");
    programs->kernels = must_allocate(programs->count * sizeof *programs->kernels);
    next = programs->file + used;
    for (size_t i = 0; i < programs->count; i++) {
        struct kernel *kernel = &programs->kernels[i];
        char accuracy[16], results[128], operands[256];
        char *end = strchr(next, '\n');

        if (!end)
            malformed("it ends early");
        *end = '\0';
        if (sscanf(next, "kernel %zu %u %u %15s %127s %255s %n", &kernel->text_bytes,
                   &kernel->count, &kernel->block, accuracy, results, operands, &used) != 6 ||
            kernel->count > MOST_THREADS || kernel->block == 0)
            malformed(next);
        kernel->name = next + used;
        snprintf(kernel->entry, sizeof kernel->entry, "k%012" PRIx64,
                 digest_of(DIGEST_START, kernel->name, strlen(kernel->name)) &
                     UINT64_C(0xffffffffffff));
        kernel->accuracy = accuracy_of(accuracy);
        kernel->result_count = list(results, kernel->result_bytes, result_width);
        kernel->operand_count = list(operands, kernel->operands, operand_kind);
        kernel->text = end + 1;
        if (kernel->text_bytes > bytes - (size_t)(kernel->text - programs->file))
            malformed("it ends early");
        next = end + 1 + kernel->text_bytes;
        kernel->text_digest = digest_of(DIGEST_START, kernel->text, kernel->text_bytes);
    }
    return programs;
}

void programs_free(struct programs *programs)
{
    free(programs->kernels);
    free(programs->file);
    free(programs);
}

char *module_text(const struct programs *programs, size_t first, size_t last)
{
    const size_t head = strlen(module_head);
    size_t bytes = head;
    char *text;

    for (size_t i = first; i < last; i++)
        bytes += programs->kernels[i].text_bytes;
    text = must_allocate(bytes + 1);
    memcpy(text, module_head, head);
    bytes = head;
    for (size_t i = first; i < last; i++) {
        memcpy(text + bytes, programs->kernels[i].text, programs->kernels[i].text_bytes);
        bytes += programs->kernels[i].text_bytes;
    }
    return text;
}

size_t results_bytes(const struct kernel *kernel)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < kernel->result_count; i++)
        bytes += kernel->result_bytes[i];
    return bytes * kernel->count;
}

void results_pack(const struct kernel *kernel, const uint64_t *slots, unsigned char *packed)
{
    for (size_t thread = 0; thread < kernel->count; thread++) {
        for (unsigned i = 0; i < kernel->result_count; i++) {
            memcpy(packed, slots++, kernel->result_bytes[i]);
            packed += kernel->result_bytes[i];
        }
    }
}
