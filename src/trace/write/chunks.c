/* SPDX-License-Identifier: Apache-2.0 */
/* The file of the trace: it is mapped, and each thread writes to chunks that it owns. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/lock.h"
#include "src/base/mapped_file.h"
#include "src/trace/write/writer.h"

enum { PATH_BYTES = 4096, OFFSET_BITS = 40 };

static struct trace_header *header; /* NULL if there is no file */
static uint64_t mapped_bytes;
static char path[PATH_BYTES];
static unsigned threads;

/*
 * Changes when a file is created or closed, so that a thread notices that its chunk belongs to a
 * former file. The ids of records contain it.
 */
static uint64_t session;

/* The chunk that the calling thread writes to; it is valid while `session` is the global one. */
static _Thread_local struct {
    uint64_t session;
    unsigned number;
    struct trace_chunk *chunk; /* NULL if the file is full */
} thread;

/* Map a file with a new name: a process keeps its number when it executes another program. */
static void *map_new(const char *prefix, uint64_t bytes)
{
    void *pages = NULL;

    errno = EEXIST;
    for (unsigned number = 1; number < 1000 && !pages && errno == EEXIST; number++) {
        char suffix[16] = "";
        int length;

        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%u", number);
        length = snprintf(path, sizeof path, "%s.%u%s.trace", prefix, cushim__system_process_id(),
                          suffix);
        if (length < (int)sizeof path)
            pages = cushim__file_map(path, bytes);
        else
            errno = ENAMETOOLONG;
    }
    return pages;
}

struct trace_header *cushim__trace_file_create(const struct trace_options *options)
{
    uint64_t chunks = options->buffer_bytes / TRACE_CHUNK_BYTES;

    chunks += chunks == 0;
    /* A limit on address space or on the size of files may allow a smaller file. */
    for (;; chunks /= 2) {
        mapped_bytes = TRACE_HEADER_BYTES + chunks * TRACE_CHUNK_BYTES;
        header = map_new(options->path, mapped_bytes);
        if (header || chunks < 32 || (errno != ENOMEM && errno != EFBIG && errno != ENOSPC))
            break;
    }
    if (header && !cushim__file_reserve(path, header, 0, TRACE_HEADER_BYTES)) {
        cushim__file_unmap(header, mapped_bytes);
        remove(path);
        header = NULL;
        errno = ENOSPC;
    }
    if (!header)
        return NULL;
    threads = 0;
    header->version = TRACE_VERSION;
    header->header_bytes = TRACE_HEADER_BYTES;
    header->chunk_bytes = TRACE_CHUNK_BYTES;
    header->driver_version = options->driver_version;
    header->process = cushim__system_process_id();
    header->chunk_limit = chunks;
    header->began_unix_ns = cushim__system_unix_ns();
    header->began_ns = cushim__trace_now();
    cushim__system_command_line(header->program, sizeof header->program);
    if (options->driver)
        snprintf(header->driver, sizeof header->driver, "%s", options->driver);
    memcpy(header->magic, TRACE_MAGIC, sizeof TRACE_MAGIC); /* last: readers look for it */
    __atomic_add_fetch(&session, 1, __ATOMIC_RELEASE);
    return header;
}

void cushim__trace_file_close(bool is_alone)
{
    const uint64_t limit = header->chunk_limit;
    const uint64_t taken = __atomic_exchange_n(&header->chunk_count, limit, __ATOMIC_ACQ_REL);
    const uint64_t chunks = taken < limit ? taken : limit;

    /* Whichever store it sees first, a thread that needs another chunk finds the file full. */
    __atomic_store_n(&header->chunk_limit, chunks, __ATOMIC_RELEASE);
    __atomic_store_n(&header->chunk_count, chunks, __ATOMIC_RELEASE);
    header->ended_ns = cushim__trace_now();
    __atomic_or_fetch(&header->flags, TRACE_ENDED, __ATOMIC_RELEASE);
    __atomic_add_fetch(&session, 1, __ATOMIC_RELEASE);
    cushim__file_cut(path, TRACE_HEADER_BYTES + chunks * TRACE_CHUNK_BYTES);
    if (is_alone)
        cushim__trace_file_unmap();
}

void cushim__trace_file_unmap(void)
{
    if (header)
        cushim__file_unmap(header, mapped_bytes);
    header = NULL;
    __atomic_add_fetch(&session, 1, __ATOMIC_RELEASE);
}

/* Take the next chunk of the file for this thread. */
static struct trace_chunk *take_chunk(void)
{
    const uint64_t now = __atomic_load_n(&session, __ATOMIC_ACQUIRE);
    const uint64_t index = __atomic_fetch_add(&header->chunk_count, 1, __ATOMIC_RELAXED);
    struct trace_chunk *chunk = NULL;

    if (thread.session != now)
        thread.number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    if (index < header->chunk_limit &&
        cushim__file_reserve(path, header, TRACE_HEADER_BYTES + index * TRACE_CHUNK_BYTES,
                             TRACE_CHUNK_BYTES)) {
        chunk =
            (struct trace_chunk *)((char *)header + TRACE_HEADER_BYTES + index * TRACE_CHUNK_BYTES);
        chunk->thread = thread.number;
        chunk->system_thread = cushim__system_thread_id();
    }
    thread.session = now;
    thread.chunk = chunk;
    return chunk;
}

struct trace_record *cushim__trace_reserve(size_t words)
{
    const size_t bytes = sizeof(struct trace_record) + words * sizeof(uint64_t);
    struct trace_chunk *chunk = thread.chunk;
    struct trace_record *record;

    if (thread.session != __atomic_load_n(&session, __ATOMIC_RELAXED) ||
        (chunk && chunk->used + bytes > TRACE_CHUNK_BYTES - sizeof *chunk))
        chunk = take_chunk();
    if (!chunk)
        return NULL;
    record = (struct trace_record *)((char *)(chunk + 1) + chunk->used);
    record->words = (uint8_t)words;
    return record;
}

void cushim__trace_publish(const struct trace_record *record)
{
    const size_t bytes = sizeof *record + record->words * sizeof(uint64_t);

    __atomic_store_n(&thread.chunk->used, thread.chunk->used + (uint32_t)bytes, __ATOMIC_RELEASE);
}

uint64_t cushim__trace_record_id(const struct trace_record *record)
{
    return __atomic_load_n(&session, __ATOMIC_ACQUIRE) << OFFSET_BITS |
           (uint64_t)((const char *)record - (const char *)header);
}

struct trace_record *cushim__trace_record_of(uint64_t id)
{
    const uint64_t number = __atomic_load_n(&session, __ATOMIC_ACQUIRE) << OFFSET_BITS;
    const uint64_t offset = id - number;

    return offset < mapped_bytes - sizeof(struct trace_record) && offset % 8 == 0 && number
               ? (struct trace_record *)((char *)header + offset)
               : NULL;
}

struct trace_record *cushim__trace_text(enum trace_kind kind, const uint64_t *words, size_t count,
                                        const char *text)
{
    const size_t most = (UINT8_MAX - count) * sizeof *words - 1;
    const size_t length = strlen(text) < most ? strlen(text) : most;
    struct trace_record *record = cushim__trace_reserve(count + length / sizeof *words + 1);

    if (!record)
        return NULL;
    record->kind = (uint8_t)kind;
    if (count > 0)
        memcpy(record + 1, words, count * sizeof *words);
    memcpy((uint64_t *)(record + 1) + count, text, length); /* zeros follow already */
    return record;
}
