/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes trace files for the tests, with the structs of src/trace/file.h. `write_trace FILE` reads
 * lines from standard input. Numbers are decimal or begin with 0x; texts are bytes in hexadecimal,
 * or `-` for no bytes.
 *
 *     header FIELD NUMBER
 *     program TEXT | driver TEXT
 *     thread NUMBER SYSTEM                  the thread of the following records
 *     call FUNCTION BEGAN ENDED CODE FLAGS DEPTH [WORD...]
 *     work KIND FUNCTION BEGAN ENDED THREAD CALL CONTEXT STREAM OBJECT BYTES GRID BLOCK SHARED
 *          DEVICE                           GRID and BLOCK are three numbers each
 *     name WHAT OF TEXT
 *     range DEPTH BEGAN ENDED TEXT
 *     process-range BEGAN ENDED TEXT
 *     mark BEGAN TEXT
 *
 * FUNCTION is an exported name or the number of a slot. `write_trace FILE many COUNT` writes COUNT
 * records of two threads that launch kernels, and reads nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/trace/file.h"

enum { THREADS = 16 };

static FILE *file;
static struct trace_header header = {
    .magic = TRACE_MAGIC,
    .version = TRACE_VERSION,
    .header_bytes = TRACE_HEADER_BYTES,
    .chunk_bytes = TRACE_CHUNK_BYTES,
    .chunk_limit = UINT64_C(1) << 32,
};

/* The chunk that a thread writes to. */
static struct thread {
    struct trace_chunk head;
    uint64_t place; /* its offset in the file */
    unsigned char *data;
} threads[THREADS], *thread;

static void fail(const char *what)
{
    fprintf(stderr, "write_trace: %s\n", what);
    exit(1);
}

static void write_at(uint64_t offset, const void *bytes, size_t size)
{
    if (fseek(file, (long)offset, SEEK_SET) != 0 || fwrite(bytes, 1, size, file) != size)
        fail("the file cannot be written");
}

static void flush_chunk(struct thread *of)
{
    write_at(of->place, &of->head, sizeof of->head);
    write_at(of->place + sizeof of->head, of->data, of->head.used);
}

static void take_chunk(struct thread *of)
{
    of->place = header.header_bytes + header.chunk_count++ * header.chunk_bytes;
    of->head.used = 0;
}

static void choose_thread(uint32_t number, uint64_t system)
{
    if (number == 0 || number >= THREADS)
        fail("no such thread");
    thread = &threads[number];
    if (thread->data)
        return;
    thread->data = calloc(1, header.chunk_bytes);
    thread->head = (struct trace_chunk){.thread = number, .system_thread = system};
    take_chunk(thread);
}

static void put(const struct trace_record *record, const void *words)
{
    const size_t size = sizeof *record + record->words * sizeof(uint64_t);

    if (!thread)
        fail("no thread");
    if (sizeof thread->head + thread->head.used + size > header.chunk_bytes) {
        flush_chunk(thread);
        take_chunk(thread);
    }
    memcpy(thread->data + thread->head.used, record, sizeof *record);
    memcpy(thread->data + thread->head.used + sizeof *record, words, size - sizeof *record);
    thread->head.used += (uint32_t)size;
}

static char *next_word(void)
{
    return strtok(NULL, " \n");
}

static uint64_t next_number(void)
{
    const char *word = next_word();

    if (!word)
        fail("a number is missing");
    return word[0] == '-' ? (uint64_t)strtoll(word, NULL, 0) : strtoull(word, NULL, 0);
}

static uint16_t next_slot(void)
{
    const char *word = next_word();

    for (unsigned i = 0; word && i < CUSHIM__SYMBOL_COUNT; i++) {
        if (strcmp(cushim__slot_name(i), word) == 0)
            return (uint16_t)i;
    }
    return (uint16_t)strtoul(word, NULL, 0);
}

/* Returns the number of bytes, including the NUL at the end. */
static size_t next_text(char *bytes, size_t room)
{
    const char *word = next_word();
    size_t size = 0;

    for (; word && word[0] != '-' && word[2 * size] && size + 1 < room; size++) {
        const char digits[] = {word[2 * size], word[2 * size + 1], '\0'};
        bytes[size] = (char)strtoul(digits, NULL, 16);
    }
    bytes[size] = '\0';
    return size + 1;
}

/* Write a record whose last words are a text. */
static void put_text(struct trace_record *record, uint64_t *words, size_t before)
{
    char *text = (char *)(words + before);

    record->words = (uint8_t)(before + (next_text(text, 1000) + 7) / 8);
    put(record, words);
}

static void put_work(void)
{
    struct trace_record record = {.kind = TRACE_WORK, .words = sizeof(struct trace_work) / 8};
    struct trace_work work = {.kind = (uint32_t)next_number()};

    record.slot = next_slot();
    record.began_ns = next_number();
    record.ended_ns = next_number();
    work.context = next_number();
    work.stream = next_number();
    work.object = next_number();
    work.bytes = next_number();
    for (int i = 0; i < 3; i++)
        work.grid[i] = (uint32_t)next_number();
    for (int i = 0; i < 3; i++)
        work.block[i] = (uint32_t)next_number();
    work.shared_bytes = (uint32_t)next_number();
    work.device = (uint32_t)next_number();
    put(&record, &work);
}

static void put_call(void)
{
    struct trace_record record = {.kind = TRACE_CALL};
    uint64_t words[255];
    const char *word;

    record.slot = next_slot();
    record.began_ns = next_number();
    record.ended_ns = next_number();
    record.code = (int32_t)next_number();
    record.flags = (uint32_t)next_number();
    while ((word = next_word()))
        words[record.words++] =
            word[0] == '-' ? (uint64_t)strtoll(word, NULL, 0) : strtoull(word, NULL, 0);
    put(&record, words);
}

static void set_field(void)
{
    static const struct {
        const char *name;
        size_t offset, size;
    } fields[] = {
#define FIELD(name) {#name, offsetof(struct trace_header, name), sizeof header.name}
        FIELD(version),        FIELD(header_bytes),  FIELD(chunk_bytes),  FIELD(flags),
        FIELD(driver_version), FIELD(process),       FIELD(chunk_limit),  FIELD(lost_calls),
        FIELD(lost_work),      FIELD(untimed_work),  FIELD(began_ns),     FIELD(unknown_functions),
        FIELD(ended_ns),       FIELD(began_unix_ns), FIELD(call_cost_ns), FIELD(event_cost_ns),
    };
    const char *name = next_word();
    const uint64_t number = next_number();

    for (size_t i = 0; name && i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            memcpy((char *)&header + fields[i].offset, &number, fields[i].size);
            return;
        }
    }
    fail("no such field");
}

static void read_line(char *line)
{
    const char *what = strtok(line, " \n");
    struct trace_record record = {0};
    uint64_t words[255] = {0};

    if (!what)
        return;
    if (strcmp(what, "header") == 0) {
        set_field();
    } else if (strcmp(what, "program") == 0) {
        next_text(header.program, sizeof header.program);
    } else if (strcmp(what, "driver") == 0) {
        next_text(header.driver, sizeof header.driver);
    } else if (strcmp(what, "thread") == 0) {
        const uint32_t number = (uint32_t)next_number();
        choose_thread(number, next_number());
    } else if (strcmp(what, "call") == 0) {
        put_call();
    } else if (strcmp(what, "work") == 0) {
        put_work();
    } else if (strcmp(what, "name") == 0) {
        record.kind = TRACE_NAME;
        words[0] = next_number();
        words[1] = next_number();
        put_text(&record, words, 2);
    } else if (strcmp(what, "range") == 0 || strcmp(what, "process-range") == 0 ||
               strcmp(what, "mark") == 0) {
        record.kind = what[0] == 'm' ? TRACE_MARK : TRACE_RANGE;
        record.flags = what[0] == 'p' ? TRACE_PROCESS_RANGE : 0;
        record.began_ns = next_number();
        record.ended_ns = record.kind == TRACE_RANGE ? next_number() : 0;
        put_text(&record, words, 0);
    } else {
        fail(what);
    }
}

/* A third of the records is work, and every sixteenth call waits. */
static void write_many(uint64_t count)
{
    static const char *const functions[] = {"cuLaunchKernel", "cuStreamSynchronize"};
    uint16_t slots[2] = {0};
    uint64_t now = 1000;

    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        for (int k = 0; k < 2; k++) {
            if (strcmp(cushim__slot_name(i), functions[k]) == 0)
                slots[k] = (uint16_t)i;
        }
    }
    header.process = 1;
    header.flags = TRACE_DEVICE_TIMES;
    for (uint64_t written = 0; written < count; now += 3000) {
        const unsigned one = 1 + (unsigned)(now / 3000 % 2);
        const bool waits = now / 3000 % 16 == 0;
        const uint64_t stream = 0x1000 * one;
        const uint64_t words[11] = {0x5000 + now / 3000 % 50, 64, 1, 1, 256, 1, 1, 0, stream};
        const struct trace_record call = {
            TRACE_CALL, waits ? 1 : 11, slots[waits], 0, now, now + 2000, 0};
        const struct trace_record done = {
            TRACE_WORK, sizeof(struct trace_work) / 8, slots[0], 0, now + 4000, now + 6000, 0};
        const struct trace_work work = {TRACE_KERNEL, 0,           0x100, stream, words[0], 0,
                                        {64, 1, 1},   {256, 1, 1}, 0};
        choose_thread(one, one);
        put(&call, waits ? &stream : words);
        written++;
        if (!waits && written % 2) {
            put(&done, &work);
            written++;
        }
    }
}

int main(int count, char **words)
{
    static char line[20000];

    if (count < 2 || !(file = fopen(words[1], "wb")))
        fail("the file cannot be made");
    if (count == 4 && strcmp(words[2], "many") == 0)
        write_many(strtoull(words[3], NULL, 0));
    else
        while (fgets(line, sizeof line, stdin))
            read_line(line);
    for (size_t i = 0; i < THREADS; i++) {
        if (threads[i].data)
            flush_chunk(&threads[i]);
        free(threads[i].data);
    }
    write_at(0, &header, sizeof header);
    return fclose(file) == 0 ? 0 : 1;
}
