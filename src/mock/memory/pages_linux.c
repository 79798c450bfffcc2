/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/mock/memory/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/mock/core/state.h"

static void *map(size_t bytes, int protection)
{
    void *pages = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

size_t cushim__mock_pages_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t cushim__mock_pages_lockable(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);

    return pages > 0 ? (size_t)pages * cushim__mock_pages_size() : SIZE_MAX;
}

void *cushim__mock_pages_reserve(size_t bytes)
{
    return map(bytes, PROT_NONE);
}

void *cushim__mock_pages_take(size_t bytes)
{
    return map(bytes, PROT_READ | PROT_WRITE);
}

void cushim__mock_pages_release(void *pages, size_t bytes)
{
    munmap(pages, bytes);
}

void *cushim__mock_pages_room(size_t bytes)
{
    return cushim__mock_pages_take(bytes);
}

/* Linux promises more memory than it has (MAP_NORESERVE), so nothing is left to do here. */
bool cushim__mock_pages_back(void *pages, size_t bytes)
{
    (void)pages;
    (void)bytes;
    return true;
}

void cushim__mock_pages_empty(void *pages, size_t bytes)
{
    madvise(pages, bytes, MADV_DONTNEED);
}

/* mincore() fails for unmapped pages; which of the others are in memory does not matter. */
static bool are_mapped(uintptr_t start, uintptr_t end)
{
    enum { AT_ONCE = 1024 };
    const uintptr_t size = cushim__mock_pages_size();
    unsigned char in_memory[AT_ONCE];

    for (uintptr_t page = start & ~(size - 1); page < end; page += AT_ONCE * size) {
        const uintptr_t left = end - page;

        if (mincore((void *)page, left < AT_ONCE * size ? left : AT_ONCE * size, in_memory) != 0)
            return false;
    }
    return true;
}

/*
 * The list of mappings is in the order of addresses, and a line of it may have the length of a path.
 * It is read without allocating, so that the answer does not depend on free memory.
 */
bool cushim__mock_pages_mapped(const void *start, size_t bytes, bool writable, bool *lacks)
{
    const uintptr_t end = (uintptr_t)start + bytes;
    uintptr_t known = (uintptr_t)start, first, last;
    static char text[8192]; /* under the mock's lock */
    size_t length = 0;
    ssize_t got;
    char access[5], *line, *next;
    int mappings;

    if (end < known || !are_mapped(known, end))
        return false;
    mappings = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (mappings < 0) {
        *lacks = errno != ENOENT;
        return !*lacks; /* without /proc, it is unknown whether they can be written */
    }
    while (known < end && (got = read(mappings, text + length, sizeof text - 1 - length)) > 0) {
        length += (size_t)got;
        text[length] = '\0';
        for (line = text; (next = strchr(line, '\n')); line = next + 1) {
            if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &first, &last, access) == 3 &&
                first <= known && known < last && access[0] == 'r' &&
                (!writable || access[1] == 'w'))
                known = last;
        }
        length -= (size_t)(line - text);
        memmove(text, line, length);
    }
    close(mappings);
    return known >= end;
}

/*
 * Processes share pages in an unnamed file in memory, which others of the same user open through
 * /proc. After the pages it holds the key by which they recognise it.
 *
 * The other process names the file, and is not trusted. So this process maps a file only if it is
 * in memory, belongs to this user and cannot be shortened: a read past the end of a mapped file
 * would kill this process.
 */

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

int cushim__mock_shared_file_create(void)
{
    const int file = memfd_create("cushim-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) != 0) {
        close(file);
        return -1;
    }
    return file;
}

bool cushim__mock_shared_file_seal(int file)
{
    if (fcntl(file, F_ADD_SEALS, SEALS) == 0)
        return true;
    cushim__mock_log("%s: what is to be shared cannot be sealed, and unsealed nobody takes it: %s",
                     cushim__mock_call_name(), strerror(errno));
    return false;
}

/* Whether this user owns a file, and it is regular: opening a device may have effects. */
static bool is_own_file(int file)
{
    struct stat status;

    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/* Only files in memory have seals. */
static bool is_sealed(int file)
{
    const int seals = fcntl(file, F_GET_SEALS);

    return seals >= 0 && (seals & SEALS) == SEALS;
}

/* Open a file by its number in a process. Returns a negative number if it may not be taken. */
static int open_shared(int32_t process, int32_t file)
{
    char path[64];
    int found, opened = -1;

    /* O_PATH only looks at the file, so that it can be checked; then the same file is opened. */
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, (int)file);
    found = open(path, O_PATH | O_CLOEXEC);
    if (found < 0)
        return -1;
    if (is_own_file(found)) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", found);
        opened = open(path, O_RDWR | O_CLOEXEC);
    }
    close(found);
    if (opened >= 0 && !is_sealed(opened)) {
        close(opened);
        opened = -1;
    }
    return opened;
}

static const char magic[8] = "cushimem";

struct tail {
    char magic[sizeof magic];
    unsigned char key[MOCK_PAGES_KEY_BYTES];
};

enum { PIECE = 64 << 10 };

/* Zeros are not written, so that what was never touched stays without backing. */
static bool copy_in(int file, const char *pages, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PIECE) {
        const size_t count = bytes - at < PIECE ? bytes - at : PIECE;

        if (!cushim__mock_bytes_are_zero(pages + at, count) &&
            pwrite(file, pages + at, count, (off_t)at) != (ssize_t)count)
            return false;
    }
    return true;
}

static bool fill(int file, const void *pages, size_t bytes, struct mock_shared_pages *shared)
{
    struct tail tail;

    if (getrandom(shared->key, sizeof shared->key, 0) != (ssize_t)sizeof shared->key ||
        !copy_in(file, pages, bytes))
        return false;
    memcpy(tail.magic, magic, sizeof magic);
    memcpy(tail.key, shared->key, sizeof tail.key);
    return pwrite(file, &tail, sizeof tail, (off_t)bytes) == (ssize_t)sizeof tail;
}

void *cushim__mock_pages_share(void *pages, size_t bytes, struct mock_shared_pages *shared)
{
    int file = cushim__mock_shared_file_create();

    if (file < 0)
        return NULL;
    if (!fill(file, pages, bytes, shared) || !cushim__mock_shared_file_seal(file) ||
        mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
        close(file);
        return NULL;
    }
    shared->process = (int32_t)getpid();
    shared->file = (int32_t)file;
    return pages;
}

void cushim__mock_pages_unshare(void *pages, void *moved, size_t bytes,
                                const struct mock_shared_pages *shared)
{
    (void)moved;
    mmap(pages, bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    close(shared->file);
}

bool cushim__mock_pages_are_own(const struct mock_shared_pages *shared)
{
    return shared->process == (int32_t)getpid();
}

/* How many bytes of pages an open file holds; 0 if it does not have this key. */
static size_t bytes_of(int file, const unsigned char key[MOCK_PAGES_KEY_BYTES])
{
    const off_t end = lseek(file, 0, SEEK_END);
    struct tail tail;

    if (end <= (off_t)sizeof tail ||
        pread(file, &tail, sizeof tail, end - (off_t)sizeof tail) != (ssize_t)sizeof tail ||
        memcmp(tail.magic, magic, sizeof magic) != 0 || memcmp(tail.key, key, sizeof tail.key) != 0)
        return 0;
    return (size_t)end - sizeof tail;
}

void *cushim__mock_pages_take_many(size_t bytes, const void *label, size_t label_bytes, int *file)
{
    void *pages;

    *file = -1;
    if (!label) {
        pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return pages == MAP_FAILED ? NULL : pages;
    }
    *file = cushim__mock_shared_file_create();
    if (*file < 0)
        return NULL;
    pages = MAP_FAILED;
    if (pwrite(*file, label, label_bytes, (off_t)bytes) == (ssize_t)label_bytes &&
        cushim__mock_shared_file_seal(*file))
        pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    if (pages != MAP_FAILED)
        return pages;
    close(*file);
    return NULL;
}

bool cushim__mock_pages_open(int file, void *label, size_t label_bytes, void **pages, size_t *bytes)
{
    const off_t end = is_sealed(file) ? lseek(file, 0, SEEK_END) : -1;

    if (end <= (off_t)label_bytes ||
        pread(file, label, label_bytes, end - (off_t)label_bytes) != (ssize_t)label_bytes)
        return false;
    *bytes = (size_t)end - label_bytes;
    *pages = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (*pages == MAP_FAILED)
        *pages = NULL;
    return true;
}

int cushim__mock_pages_descriptor(int file)
{
    return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

void cushim__mock_pages_close(int file)
{
    if (file >= 0)
        close(file);
}

/* mremap() with an old size of 0 creates a second mapping of shared pages. */
bool cushim__mock_pages_put(void *pages, size_t bytes, void *reserved)
{
    return mremap(pages, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, reserved) != MAP_FAILED;
}

void cushim__mock_pages_remove(void *reserved, size_t bytes)
{
    mmap(reserved, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
}

bool cushim__mock_pages_reserve_at(void *address, size_t bytes)
{
    void *pages =
        mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (pages == address)
        return true;
    if (pages != MAP_FAILED)
        munmap(pages, bytes);
    return false;
}

void *cushim__mock_pages_find(const struct mock_shared_pages *shared, size_t *bytes, int *file)
{
    const int opened = open_shared(shared->process, shared->file);
    void *pages = MAP_FAILED;

    if (opened < 0)
        return NULL;
    *bytes = bytes_of(opened, shared->key);
    if (*bytes > 0)
        pages = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    if (file && pages != MAP_FAILED)
        *file = opened;
    else
        close(opened);
    return pages == MAP_FAILED ? NULL : pages;
}

void cushim__mock_pages_lose(void *pages, size_t bytes)
{
    munmap(pages, bytes);
}

size_t cushim__mock_file_bytes(int file)
{
    struct stat status;

    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
}

void *cushim__mock_file_map(int file, size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    return pages == MAP_FAILED ? NULL : pages;
}
