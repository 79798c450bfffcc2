/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/system.h"
#include "src/driver_api/lines.h"
#include "src/mock/config/settings.h"

/* Keys of a table, and of all its groups: no set of keys has more. */
enum {
    KEYS_MAX = 64,
    PLACES = KEYS_MAX + MOCK_ATTRIBUTES_MAX + MOCK_LIMITS_MAX + CUSHIM__SYMBOL_COUNT,
};

static const char schema[] = "1";

/* What an entry's key stands for: a key, a member of a group, or nothing that there is. */
struct meaning {
    const struct mock_key *key;
    const struct mock_key_group *group;
    unsigned number; /* of the member */
    size_t place;    /* its own among all keys */
};

static bool find(const struct mock_keys *keys, const struct cushim__word *word,
                 struct meaning *meaning)
{
    size_t place = 0;

    *meaning = (struct meaning){0};
    for (const struct mock_key *key = keys->keys; key->name; key++, place++) {
        if (cushim__word_is(word, key->name)) {
            meaning->key = key;
            meaning->place = place;
            return true;
        }
    }
    for (const struct mock_key_group *group = keys->groups; group->name; group++) {
        struct cushim__word name;
        if (cushim__word_begins(word, group->prefix, &name)) {
            meaning->group = group;
            if (group->find(&name, &meaning->number)) {
                meaning->place = place + meaning->number;
                return true;
            }
        }
        place += group->count;
    }
    return false;
}

/* There is no such key: say so, and which was probably meant. */
static CUresult refuse_key(const struct mock_keys *keys, const struct cushim__lines *lines,
                           const struct mock_key_group *group)
{
    const struct cushim__word *word = &lines->key;
    struct cushim__suggestion whole, member = {0};
    const char *prefix = "";
    char hint[160] = "";

    cushim__suggestion_begin(&whole, word);
    for (const struct mock_key *key = keys->keys; key->name; key++)
        cushim__suggestion_offer(&whole, key->name);
    if (group) {
        struct cushim__word name = {0};
        cushim__word_begins(word, group->prefix, &name);
        cushim__suggestion_begin(&member, &name);
        group->offer(&member);
        if (member.name && (!whole.name || member.distance < whole.distance)) {
            whole.name = member.name;
            prefix = group->prefix;
        }
    }
    if (whole.name)
        snprintf(hint, sizeof hint, "; did you mean \"%s%s\"?", prefix, whole.name);
    else if (group)
        snprintf(hint, sizeof hint, "; behind \"%s\" comes %s", group->prefix, group->member);
    return cushim__lines_refuse(lines, word->start, "there is no key \"%.*s\"%s",
                                cushim__word_shown(word), word->start, hint);
}

/* `schema = 1` comes first; `is_first` is whether this entry does. `*is_schema`: it is that. */
static CUresult check_schema(const struct mock_keys *keys, const struct cushim__lines *lines,
                             bool is_first, bool *is_schema)
{
    *is_schema = cushim__word_is(&lines->key, "schema");
    if (*is_schema && !is_first)
        return cushim__lines_refuse(lines, lines->key.start, "schema must be the first key");
    if (*is_schema && !cushim__word_is(&lines->value, schema))
        return cushim__mock_key_refuse(lines, "1 in this version");
    if (is_first && !*is_schema && lines->is_file)
        return cushim__lines_refuse(lines, lines->key.start, "%s begins with `schema = 1`",
                                    keys->what);
    return CUDA_SUCCESS;
}

static CUresult read_entry(const struct mock_keys *keys, void *base,
                           const struct cushim__lines *lines, unsigned *seen)
{
    struct meaning meaning;

    if (!find(keys, &lines->key, &meaning))
        return refuse_key(keys, lines, meaning.group);
    if (seen[meaning.place] && !(meaning.key && meaning.key->is_repeated))
        return cushim__lines_refuse(lines, lines->key.start, "line %u has set %.*s already",
                                    seen[meaning.place], cushim__word_shown(&lines->key),
                                    lines->key.start);
    seen[meaning.place] = lines->number;
    if (meaning.group) {
        void *field = (char *)base + meaning.group->field;
        return meaning.group->store(field, meaning.number, &lines->value)
                   ? CUDA_SUCCESS
                   : cushim__mock_key_refuse(lines, meaning.group->expected);
    }
    return meaning.key->is_early
               ? CUDA_SUCCESS
               : meaning.key->read(lines, meaning.key, (char *)base + meaning.key->field);
}

/*
 * Read what all other keys build on. What cannot be read is refused when its turn comes, and so is
 * a key that comes again: it is not read here, for each may lead to a file.
 */
static CUresult read_early(const struct mock_keys *keys, void *base, struct cushim__lines *lines)
{
    bool seen[KEYS_MAX] = {false};

    while (cushim__lines_next(lines) == CUSHIM__LINES_ENTRY) {
        struct meaning meaning;
        CUresult code;
        if (!find(keys, &lines->key, &meaning) || !meaning.key || !meaning.key->is_early ||
            seen[meaning.place])
            continue;
        seen[meaning.place] = true;
        code = meaning.key->read(lines, meaning.key, (char *)base + meaning.key->field);
        if (code != CUDA_SUCCESS)
            return code;
    }
    return CUDA_SUCCESS;
}

static CUresult check_required(const struct mock_keys *keys, const struct cushim__lines *lines,
                               const unsigned *seen)
{
    for (size_t i = 0; keys->keys[i].name; i++) {
        if (keys->keys[i].is_required && !seen[i])
            return cushim__lines_refuse(lines, lines->line, "%s needs the key %s", keys->what,
                                        keys->keys[i].name);
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_keys_read(const struct mock_keys *keys, void *base,
                                struct cushim__lines *lines)
{
    const struct cushim__lines start = *lines;
    unsigned seen[PLACES] = {0}; /* the line of each key */
    CUresult code = read_early(keys, base, lines);
    enum cushim__lines_next next = CUSHIM__LINES_END;
    bool is_first = true, is_schema = false;

    if (code != CUDA_SUCCESS)
        return code;
    *lines = start;
    while (code == CUDA_SUCCESS && (next = cushim__lines_next(lines)) == CUSHIM__LINES_ENTRY) {
        code = check_schema(keys, lines, is_first, &is_schema);
        if (code == CUDA_SUCCESS && !is_schema)
            code = read_entry(keys, base, lines, seen);
        is_first = false;
    }
    if (code != CUDA_SUCCESS)
        return code;
    if (next == CUSHIM__LINES_REFUSED)
        return CUDA_ERROR_INVALID_VALUE;
    if (is_first && lines->is_file)
        return cushim__lines_refuse(lines, lines->line, "%s begins with `schema = 1`", keys->what);
    return check_required(keys, lines, seen);
}

const char *cushim__mock_keys_name(const struct mock_keys *keys, size_t index)
{
    const struct mock_key *key = keys->keys;
    const struct mock_key_group *group = keys->groups;

    if (index-- == 0)
        return "schema";
    for (; key->name; key++) {
        if (index-- == 0)
            return key->name;
    }
    for (; group->name && index; group++)
        index--;
    return group->name;
}

bool cushim__mock_keys_repeat(const struct mock_keys *keys, const struct cushim__word *word)
{
    struct meaning meaning;

    return find(keys, word, &meaning) && meaning.key && meaning.key->is_repeated;
}

CUresult cushim__mock_key_refuse(const struct cushim__lines *lines, const char *expected)
{
    return cushim__lines_refuse(lines, lines->value.start, "%.*s is %s, not \"%.*s\"",
                                cushim__word_shown(&lines->key), lines->key.start, expected,
                                cushim__word_shown(&lines->value), lines->value.start);
}

/* How the value of a key becomes a field of a struct, by the type of the field. */

/* The position of the value among the key's words, or -1. */
static int find_word(const struct cushim__lines *lines, const struct mock_key *key)
{
    for (int i = 0; key->words[i]; i++) {
        if (cushim__word_is(&lines->value, key->words[i]))
            return i;
    }
    return -1;
}

CUresult cushim__mock_key_text(const struct cushim__lines *lines, const struct mock_key *key,
                               void *field)
{
    if (lines->value.length >= MOCK_TEXT_SIZE)
        return cushim__mock_key_refuse(lines, key->expected);
    memset(field, 0, MOCK_TEXT_SIZE);
    memcpy(field, lines->value.start, lines->value.length);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_word(const struct cushim__lines *lines, const struct mock_key *key,
                               void *field)
{
    const int word = find_word(lines, key);

    if (word < 0)
        return cushim__mock_key_refuse(lines, key->expected);
    memcpy(field, &word, sizeof word);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_flag(const struct cushim__lines *lines, const struct mock_key *key,
                               void *field)
{
    const int word = find_word(lines, key);

    if (word < 0)
        return cushim__mock_key_refuse(lines, key->expected);
    *(bool *)field = word == 1;
    return CUDA_SUCCESS;
}

static bool parse_number(const struct cushim__word *word, enum mock_key_type type, uint64_t *number)
{
    int version = 0;

    switch (type) {
    case MOCK_KEY_SIZE:
        return cushim__value_size(word, number);
    case MOCK_KEY_DURATION:
        return cushim__value_duration(word, number);
    case MOCK_KEY_VERSION:
        if (!cushim__value_version(word, &version))
            return false;
        *number = (uint64_t)version;
        return true;
    default:
        return cushim__value_number(word, number);
    }
}

CUresult cushim__mock_key_number(const struct cushim__lines *lines, const struct mock_key *key,
                                 void *field)
{
    uint64_t number;

    if (!parse_number(&lines->value, key->type, &number) || number < key->minimum ||
        number > key->maximum)
        return cushim__mock_key_refuse(lines, key->expected);
    if (key->type == MOCK_KEY_UNSIGNED)
        *(unsigned *)field = (unsigned)number;
    else if (key->type == MOCK_KEY_VERSION)
        *(int *)field = (int)number;
    else if (key->type == MOCK_KEY_SIZE)
        *(size_t *)field = (size_t)number;
    else
        *(uint64_t *)field = number;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_integer(const struct cushim__lines *lines, const struct mock_key *key,
                                  void *field)
{
    return cushim__value_integer(&lines->value, field)
               ? CUDA_SUCCESS
               : cushim__mock_key_refuse(lines, key->expected);
}

/* More than any sensible text; a file that grows as it is read ends here, too. */
enum { LARGEST = 1 << 20 };

static CUresult refuse(CUresult code, const char *path, const char *why, char *message, size_t size)
{
    if (size)
        snprintf(message, size, "%s: %s", path, why);
    return code;
}

CUresult cushim__mock_file_read(char **text, const char *path, char *message, size_t message_size)
{
    FILE *file = cushim__host_file(path);
    char *buffer;
    size_t length;
    int error;

    if (!file)
        return errno == ENOTSUP ? refuse(CUDA_ERROR_INVALID_VALUE, path, "no regular file", message,
                                         message_size)
                                : refuse(CUDA_ERROR_FILE_NOT_FOUND, path, strerror(errno), message,
                                         message_size);
    buffer = malloc(LARGEST + 1);
    if (!buffer) {
        fclose(file);
        return refuse(CUDA_ERROR_OUT_OF_MEMORY, path, "out of memory", message, message_size);
    }
    errno = 0;
    length = fread(buffer, 1, LARGEST + 1, file);
    error = ferror(file) ? errno : 0;
    fclose(file);
    if (!error && length <= LARGEST && !memchr(buffer, '\0', length)) {
        buffer[length] = '\0';
        *text = buffer;
        return CUDA_SUCCESS;
    }
    free(buffer);
    if (error)
        return refuse(CUDA_ERROR_FILE_NOT_FOUND, path, strerror(error), message, message_size);
    return refuse(CUDA_ERROR_INVALID_VALUE, path,
                  length > LARGEST ? "larger than 1 MiB" : "not a text, for it has a NUL character",
                  message, message_size);
}

/* With the separator at its end. */
static size_t folder_length(const char *file)
{
    size_t length = strlen(file);

    while (length > 0 && !strchr(cushim__host_separators, file[length - 1]))
        length--;
    return length;
}

bool cushim__mock_file_beside(char *path, size_t size, const char *file, const char *name,
                              size_t name_length)
{
    const bool rooted = cushim__host_path_is_rooted(name, name_length);
    const size_t folder = file && !rooted ? folder_length(file) : 0;
    const int length = snprintf(path, size, "%.*s%.*s", (int)folder, folder > 0 ? file : "",
                                (int)name_length, name);

    return length > 0 && (size_t)length < size;
}
