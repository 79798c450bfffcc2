/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/keys.h"

#include <stdio.h>

#include "loader/symbols.h"
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
