/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/cache.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const char magic[] = "glibc-ld.so.cache1.1", old_magic[] = "ld.so-1.7.0";

/* Bits of the flags that tell the order of bytes: unset by older ones. */
enum { ORDER = 3, ORDER_UNSET = 0 };
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_ORDER = 2 };
#else
enum { OWN_ORDER = 3 };
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

/* `bytes` are those from the head on. */
static bool lacks(const unsigned char *bytes, size_t size, const char *name)
{
    struct head head;

    memcpy(&head, bytes, sizeof head);
    if ((head.flags & ORDER) != ORDER_UNSET && (head.flags & ORDER) != OWN_ORDER)
        return false;
    if (head.count > (size - sizeof head) / sizeof(struct entry))
        return false;
    for (size_t i = 0; i < head.count; i++) {
        uint32_t place;
        memcpy(&place,
               bytes + sizeof head + i * sizeof(struct entry) + offsetof(struct entry, name),
               sizeof place);
        if (place >= size)
            return false;
        /* A text that is cut off by the file's end may have been any; all begin with lib. */
        if (size - place <= strlen(name) && !memchr(bytes + place, '\0', size - place))
            return false;
        if (size - place > AFTER_LIB &&
            bytes[place + AFTER_LIB] == (unsigned char)name[AFTER_LIB] &&
            is_name(bytes + place, size - place, name))
            return false;
    }
    return true;
}

static bool bytes_lack(const unsigned char *bytes, size_t size, const char *name)
{
    const size_t place = find_head(bytes, size);

    return place < size && lacks(bytes + place, size - place, name);
}

bool cushim__cache_lacks(const char *path, const char *name)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    struct stat status;
    size_t size = 0;
    bool answer;

    if (file < 0)
        return false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size = (size_t)status.st_size;
        bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (bytes == MAP_FAILED)
        return false;
    answer = bytes_lack(bytes, size, name);
    munmap(bytes, size);
    return answer;
}
