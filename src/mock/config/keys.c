/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/keys.h"

#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/suggestion.h"

/* Keys of the table, and of all groups. */
enum {
    KEYS_MAX = 64,
    PLACES = KEYS_MAX + MOCK_ATTRIBUTES_MAX + MOCK_LIMITS_MAX + CUSHIM__SYMBOL_COUNT
};

static const char schema[] = "1";

static const char *const kind_names[] = {
    [MOCK_OF_SETTINGS] = "a file of settings",
    [MOCK_OF_PROFILE] = "a profile",
};

/* What an entry names: a key, a member of a group, or neither. */
struct meaning {
    const struct mock_key *key;
    const struct mock_key_group *group;
    unsigned number; /* of the member */
    size_t place;    /* its index among all keys and members */
};

static const struct mock_key *find_key(const struct cushim__word *word, unsigned kind)
{
    const struct mock_key *key = cushim__mock_keys;

    while (key->name && !(key->kinds & kind && cushim__word_is(word, key->name)))
        key++;
    return key->name ? key : NULL;
}

/* Find a member by its name or its number. */
static bool find_member(const struct mock_key_group *group, const struct cushim__word *name,
                        unsigned *number)
{
    uint64_t value;

    if (!group->rows)
        return cushim__value_function(name, number);
    for (size_t i = 0; i < group->row_count; i++) {
        if (cushim__word_is(name, group->rows[i].name)) {
            *number = group->rows[i].number;
            return *number < group->count;
        }
    }
    if (!cushim__value_number(name, &value) || value < group->least || value >= group->count)
        return false;
    *number = (unsigned)value;
    return true;
}

static bool find(const struct cushim__word *word, unsigned kind, struct meaning *meaning)
{
    size_t place = KEYS_MAX;

    *meaning = (struct meaning){.key = find_key(word, kind)};
    if (meaning->key) {
        meaning->place = (size_t)(meaning->key - cushim__mock_keys);
        return true;
    }
    for (const struct mock_key_group *group = cushim__mock_key_groups; group->name; group++) {
        struct cushim__word name;
        if (group->kinds & kind && cushim__word_begins(word, group->prefix, &name)) {
            meaning->group = group;
            if (find_member(group, &name, &meaning->number)) {
                meaning->place = place + meaning->number;
                return true;
            }
        }
        place += group->count;
    }
    return false;
}

static void offer_members(const struct mock_key_group *group, struct cushim__suggestion *suggestion)
{
    if (!group->rows)
        cushim__suggestion_offer_functions(suggestion);
    for (size_t i = 0; i < group->row_count; i++)
        cushim__suggestion_offer(suggestion, group->rows[i].name);
}

/* Refuse a key that does not exist, and say which one was probably meant. */
static CUresult refuse_key(const struct cushim__lines *lines, unsigned kind,
                           const struct mock_key_group *group)
{
    const struct cushim__word *word = &lines->key;
    struct cushim__suggestion whole, member = {0};
    const char *prefix = "";
    char hint[160] = "";

    cushim__suggestion_begin(&whole, word);
    for (const struct mock_key *key = cushim__mock_keys; key->name; key++) {
        if (key->kinds & kind)
            cushim__suggestion_offer(&whole, key->name);
    }
    if (group) {
        struct cushim__word name = {0};
        cushim__word_begins(word, group->prefix, &name);
        cushim__suggestion_begin(&member, &name);
        offer_members(group, &member);
        if (member.name && (!whole.name || member.distance < whole.distance)) {
            whole.name = member.name;
            prefix = group->prefix;
        }
    }
    if (kind == MOCK_OF_SETTINGS && find_key(word, MOCK_OF_PROFILE))
        snprintf(hint, sizeof hint, " but in a profile: name that with profile = PATH");
    else if (whole.name)
        snprintf(hint, sizeof hint, "; did you mean \"%s%s\"?", prefix, whole.name);
    else if (group)
        snprintf(hint, sizeof hint, "; after \"%s\" comes %s", group->prefix, group->member);
    return cushim__lines_refuse(lines, word->start, "there is no key \"%.*s\"%s",
                                cushim__word_shown(word), word->start, hint);
}

/* Check that `schema = 1` comes first. `is_first` and `*is_schema` say what this entry is. */
/* A duration may lack only its unit. */
static CUresult refuse(const struct cushim__lines *lines, const char *expected, bool is_duration)
{
    return cushim__lines_refuse(lines, lines->value.start, "%.*s is %s, not \"%.*s\"%s",
                                cushim__word_shown(&lines->key), lines->key.start, expected,
                                cushim__word_shown(&lines->value), lines->value.start,
                                is_duration ? cushim__duration_hint(&lines->value).text : "");
}

static CUresult check_schema(const struct cushim__lines *lines, enum mock_text_kind kind,
                             bool is_first, bool *is_schema)
{
    *is_schema = cushim__word_is(&lines->key, "schema");
    if (*is_schema && !is_first)
        return cushim__lines_refuse(lines, lines->key.start, "schema must be the first key");
    if (*is_schema && !cushim__word_is(&lines->value, schema))
        return cushim__mock_key_refuse(lines, "1 in this version");
    if (is_first && !*is_schema && lines->is_file)
        return cushim__lines_refuse(lines, lines->key.start, "%s begins with `schema = 1`",
                                    kind_names[kind]);
    return CUDA_SUCCESS;
}

static CUresult read_key(struct mock_settings *settings, const struct mock_key *key,
                         const struct cushim__lines *lines)
{
    return key->read ? key->read(settings, key, lines)
                     : cushim__mock_key_read(key, lines, (char *)settings + key->field);
}

static CUresult read_entry(struct mock_settings *settings, enum mock_text_kind kind,
                           const struct cushim__lines *lines, unsigned *seen)
{
    struct meaning meaning;

    if (!find(&lines->key, kind, &meaning))
        return refuse_key(lines, kind, meaning.group);
    if (seen[meaning.place] && lines->is_file && !(meaning.key && meaning.key->is_repeated))
        return cushim__lines_refuse(lines, lines->key.start, "line %u has set %.*s already",
                                    seen[meaning.place], cushim__word_shown(&lines->key),
                                    lines->key.start);
    seen[meaning.place] = lines->number;
    if (meaning.group)
        return meaning.group->store(settings, meaning.number, &lines->value)
                   ? CUDA_SUCCESS
                   : refuse(lines, meaning.group->expected, meaning.group->is_duration);
    return meaning.key->is_early ? CUDA_SUCCESS : read_key(settings, meaning.key, lines);
}

/*
 * Read the keys on which all others depend. The second pass refuses what cannot be read here, and a
 * key that a file repeats.
 */
static CUresult read_early(struct mock_settings *settings, enum mock_text_kind kind,
                           struct cushim__lines *lines)
{
    bool seen[KEYS_MAX] = {false};

    while (cushim__lines_next(lines) == CUSHIM__LINES_ENTRY) {
        const struct mock_key *key = find_key(&lines->key, kind);
        CUresult code;
        if (!key || !key->is_early || (lines->is_file && seen[key - cushim__mock_keys]))
            continue;
        seen[key - cushim__mock_keys] = true;
        code = read_key(settings, key, lines);
        if (code != CUDA_SUCCESS)
            return code;
    }
    return CUDA_SUCCESS;
}

static CUresult check_required(const struct cushim__lines *lines, enum mock_text_kind kind,
                               const unsigned *seen)
{
    for (size_t i = 0; cushim__mock_keys[i].name; i++) {
        if (cushim__mock_keys[i].kinds & kind && cushim__mock_keys[i].is_required && !seen[i])
            return cushim__lines_refuse(lines, lines->line, "%s needs the key %s", kind_names[kind],
                                        cushim__mock_keys[i].name);
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_keys_read(struct mock_settings *settings, enum mock_text_kind kind,
                                struct cushim__lines *lines)
{
    const struct cushim__lines start = *lines;
    unsigned seen[PLACES] = {0}; /* the line of each key */
    CUresult code = read_early(settings, kind, lines);
    enum cushim__lines_next next = CUSHIM__LINES_END;
    bool is_first = true, is_schema = false;

    if (code != CUDA_SUCCESS)
        return code;
    *lines = start;
    while (code == CUDA_SUCCESS && (next = cushim__lines_next(lines)) == CUSHIM__LINES_ENTRY) {
        code = check_schema(lines, kind, is_first, &is_schema);
        if (code == CUDA_SUCCESS && !is_schema)
            code = read_entry(settings, kind, lines, seen);
        is_first = false;
    }
    if (code != CUDA_SUCCESS)
        return code;
    if (next == CUSHIM__LINES_REFUSED)
        return CUDA_ERROR_INVALID_VALUE;
    if (is_first && lines->is_file)
        return cushim__lines_refuse(lines, lines->line, "%s begins with `schema = 1`",
                                    kind_names[kind]);
    return check_required(lines, kind, seen);
}

CUresult cushim__mock_key_refuse(const struct cushim__lines *lines, const char *expected)
{
    return refuse(lines, expected, false);
}

/* The position of the value among the key's words, or -1. */
static int find_word(const struct mock_key *key, const struct cushim__word *value)
{
    for (int i = 0; key->words[i]; i++) {
        if (cushim__word_is(value, key->words[i]))
            return i;
    }
    return -1;
}

static bool read_text(const struct cushim__word *value, char *field)
{
    if (value->length >= MOCK_TEXT_SIZE)
        return false;
    memset(field, 0, MOCK_TEXT_SIZE);
    memcpy(field, value->start, value->length);
    return true;
}

static bool read_number(const struct mock_key *key, const struct cushim__word *value, void *field)
{
    uint64_t number;
    int version = 0;
    bool is_read;

    switch (key->type) {
    case MOCK_KEY_SIZE:
        is_read = cushim__value_size(value, &number);
        break;
    case MOCK_KEY_DURATION:
        is_read = cushim__value_duration(value, &number);
        break;
    case MOCK_KEY_VERSION:
        is_read = cushim__value_version(value, &version);
        number = (uint64_t)version;
        break;
    default:
        is_read = cushim__value_number(value, &number);
        break;
    }
    if (!is_read || number < key->minimum || number > key->maximum)
        return false;
    if (key->type == MOCK_KEY_UNSIGNED)
        *(unsigned *)field = (unsigned)number;
    else if (key->type == MOCK_KEY_VERSION)
        *(int *)field = version;
    else if (key->type == MOCK_KEY_SIZE)
        *(size_t *)field = (size_t)number;
    else
        *(uint64_t *)field = number;
    return true;
}

CUresult cushim__mock_key_read(const struct mock_key *key, const struct cushim__lines *lines,
                               void *field)
{
    const int word = key->words ? find_word(key, &lines->value) : -1;
    bool is_read = word >= 0;

    if (key->type == MOCK_KEY_WORD && is_read)
        memcpy(field, &word, sizeof word);
    else if (key->type == MOCK_KEY_FLAG && is_read)
        *(bool *)field = word == 1;
    else if (key->type == MOCK_KEY_TEXT)
        is_read = read_text(&lines->value, field);
    else if (key->type == MOCK_KEY_INTEGER)
        is_read = cushim__value_integer(&lines->value, field);
    else if (!key->words)
        is_read = read_number(key, &lines->value, field);
    return is_read ? CUDA_SUCCESS : refuse(lines, key->expected, key->type == MOCK_KEY_DURATION);
}
