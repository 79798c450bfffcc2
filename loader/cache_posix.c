/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/cache.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/read.h"
#include "loader/system.h"

/* The file's beginning, which is followed by the entries; places are counted from it. */
struct head {
    char magic[20];
    uint32_t count;
    uint32_t text_bytes;
    uint8_t flags;
    uint8_t padding[3];
    uint32_t extensions;
    uint32_t unused[3];
};

struct entry {
    int32_t flags;
    uint32_t name, path; /* places of texts */
    uint32_t release;
    uint64_t processor;
};

/* ldconfig of glibc before 2.32 writes the entries of this format too, before all else. */
struct old_head {
    char magic[12];
    uint32_t count;
};

enum { OLD_ENTRY_BYTES = 12, ALIGNMENT = 8, AFTER_LIB = 3 };

/* That of a system with everything is a tenth of it. */
enum { LARGEST_CACHE = 16 * 1024 * 1024 };

static const char magic[] = "glibc-ld.so.cache1.1", old_magic[] = "ld.so-1.7.0";

/* Bits of the flags that tell the order of bytes: unset by older ones. */
enum { ORDER = 3, ORDER_UNSET = 0 };
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_ORDER = 2 };
#else
enum { OWN_ORDER = 3 };
#endif

/* Flags of an entry for this process; 0: they are not known here. */
#if defined(__x86_64__)
enum { OWN_KIND = 0x0303 };
#elif defined(__aarch64__)
enum { OWN_KIND = 0x0a03 };
#else
enum { OWN_KIND = 0 };
#endif

/* Place of the head; `size` if there is none. */
static size_t find_head(const unsigned char *bytes, size_t size)
{
    struct old_head old;
    size_t place = 0;

    if (size >= sizeof old && memcmp(bytes, old_magic, sizeof old_magic - 1) == 0) {
        memcpy(&old, bytes, sizeof old);
        if (old.count > size / OLD_ENTRY_BYTES)
            return size;
        place = sizeof old + (size_t)old.count * OLD_ENTRY_BYTES;
        place = (place + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return place < size && size - place >= sizeof(struct head) &&
                   memcmp(bytes + place, magic, sizeof magic - 1) == 0
               ? place
               : size;
}

/* Whether a text is a name, to the linker, which compares the digits in them as numbers. */
static bool is_name(const unsigned char *text, size_t room, const char *name)
{
    const char *digits = strrchr(name, '.') + 1;
    const size_t stem = (size_t)(digits - name), rest = strlen(digits) + 1;

    if (room < stem || memcmp(text, name, stem) != 0)
        return false;
    for (text += stem, room -= stem; room > 0 && *text == '0'; text++)
        room--;
    return room >= rest && memcmp(text, digits, rest) == 0;
}

/* What a look at a cache is for. `bytes` are those from the head on. */
struct look {
    const unsigned char *bytes;
    size_t size;
    const char *name;
    bool (*visit)(const char *path, void *data);
    void *data;
};

/* A text that is cut off by the file's end may have been any. */
static bool has_end(const struct look *look, uint32_t place)
{
    return place < look->size && memchr(look->bytes + place, '\0', look->size - place);
}

/* Whether an entry's text is the name; all begin with lib. */
static bool is_named(const struct look *look, uint32_t place)
{
    const size_t room = look->size - place;

    return room > AFTER_LIB &&
           look->bytes[place + AFTER_LIB] == (unsigned char)look->name[AFTER_LIB] &&
           is_name(look->bytes + place, room, look->name);
}

/* Whether to go on behind an entry of the name. The linker takes those of its own kind only. */
static bool visit_entry(const struct look *look, const struct entry *entry)
{
    return !look->visit || (OWN_KIND != 0 && entry->flags != OWN_KIND) ||
           !has_end(look, entry->path) ||
           look->visit((const char *)look->bytes + entry->path, look->data);
}

static enum cushim__cached look_at_entries(const struct look *look)
{
    enum cushim__cached cached = CUSHIM__CACHED_NONE;
    struct head head;

    memcpy(&head, look->bytes, sizeof head);
    if ((head.flags & ORDER) != ORDER_UNSET && (head.flags & ORDER) != OWN_ORDER)
        return CUSHIM__CACHED_UNKNOWN;
    if (head.count > (look->size - sizeof head) / sizeof(struct entry))
        return CUSHIM__CACHED_UNKNOWN;
    for (size_t i = 0; i < head.count; i++) {
        const unsigned char *bytes = look->bytes + sizeof head + i * sizeof(struct entry);
        struct entry entry;
        memcpy(&entry.name, bytes + offsetof(struct entry, name), sizeof entry.name);
        if (entry.name >= look->size ||
            (look->size - entry.name <= strlen(look->name) && !has_end(look, entry.name)))
            return CUSHIM__CACHED_UNKNOWN;
        if (!is_named(look, entry.name))
            continue;
        cached = CUSHIM__CACHED_FILES;
        memcpy(&entry, bytes, sizeof entry);
        if (!visit_entry(look, &entry))
            return CUSHIM__CACHED_STOPPED;
    }
    return cached;
}

enum cushim__cached cushim__cache_look_at(const unsigned char *bytes, size_t size, const char *name,
                                          bool (*visit)(const char *path, void *data), void *data)
{
    const size_t place = find_head(bytes, size);
    const struct look look = {bytes + place, size - place, name, visit, data};

    return place < size ? look_at_entries(&look) : CUSHIM__CACHED_UNKNOWN;
}

/* What there is of a cache is copied, since it may be cut short while it is looked at. */
static enum cushim__cached look_at_file(int file, size_t size, const char *name,
                                        bool (*visit)(const char *path, void *data), void *data)
{
    enum cushim__cached cached = CUSHIM__CACHED_UNKNOWN;
    void *bytes = cushim__memory_take(size);

    if (!bytes)
        return cached;
    if (cushim__read_at(file, bytes, size, 0) == (ssize_t)size)
        cached = cushim__cache_look_at(bytes, size, name, visit, data);
    cushim__memory_give_back(bytes, size);
    return cached;
}

enum cushim__cached cushim__cache_look(const char *path, const char *name,
                                       bool (*visit)(const char *path, void *data), void *data)
{
    /* Not blocking: a pipe may have its place. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum cushim__cached cached = CUSHIM__CACHED_UNKNOWN;
    struct stat status;

    if (file < 0)
        return cached;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        status.st_size <= LARGEST_CACHE)
        cached = look_at_file(file, (size_t)status.st_size, name, visit, data);
    close(file);
    return cached;
}

bool cushim__cache_lacks(const char *path, const char *name)
{
    return cushim__cache_look(path, name, NULL, NULL) == CUSHIM__CACHED_NONE;
}
