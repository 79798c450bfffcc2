/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys that settings and profiles may have, and how the value of each is read. Each key is a
 * row in settings.c, which the reader, the messages and the test of docs/mock.md all use.
 */
#ifndef CUSHIM_MOCK_CONFIG_KEYS_H
#define CUSHIM_MOCK_CONFIG_KEYS_H

#include "loader/attributes.h"
#include "src/base/key_values.h"
#include "src/mock/config/settings.h"

/* The kinds of texts that have a key, as bits. */
enum mock_text_kind { MOCK_OF_SETTINGS = 1, MOCK_OF_PROFILE = 2 };

/* How a value is written, and the type of its field. */
enum mock_key_type {
    MOCK_KEY_TEXT,     /* char[MOCK_TEXT_SIZE] */
    MOCK_KEY_WORD,     /* an enum: the position in `words` */
    MOCK_KEY_FLAG,     /* bool: the position in `words`, which has two entries */
    MOCK_KEY_INTEGER,  /* digits with an optional minus sign: int */
    MOCK_KEY_NUMBER,   /* digits: uint64_t */
    MOCK_KEY_UNSIGNED, /* digits: unsigned */
    MOCK_KEY_SIZE,     /* bytes: size_t */
    MOCK_KEY_DURATION, /* nanoseconds: uint64_t */
    MOCK_KEY_VERSION,  /* of CUDA: int */
};

struct mock_key {
    const char *name;
    const char *expected; /* what a value must be, for messages */
    unsigned kinds;       /* bits of enum mock_text_kind: where the key may occur */
    enum mock_key_type type;
    size_t field; /* offset in struct mock_settings */
    uint64_t minimum, maximum;
    const char *const *words;

    /* Read the value of the current entry, or refuse it; NULL if `type` is enough. */
    CUresult (*read)(struct mock_settings *settings, const struct mock_key *key,
                     const struct cushim__lines *lines);
    bool is_required;
    bool is_early;    /* read before all others, wherever it is */
    bool is_repeated; /* may occur several times; all are read, in order */
};
extern const struct mock_key cushim__mock_keys[]; /* ends with a NULL name */

/* Keys that begin with a prefix and end with a name from a list, or with its number. */
struct mock_key_group {
    const char *name; /* the prefix with NAME after it */
    const char *prefix;
    const char *member;   /* what follows the prefix, for messages */
    const char *expected; /* what a value must be, for messages */
    unsigned kinds;
    const struct cushim__attribute *rows; /* the list; NULL for the driver's functions */
    size_t row_count;
    unsigned least, count; /* numbers are at least `least`, and below `count` */
    bool is_duration;      /* each value is a duration */
    bool (*store)(struct mock_settings *settings, unsigned number,
                  const struct cushim__word *value);
};
extern const struct mock_key_group cushim__mock_key_groups[]; /* ends with a NULL name */

/*
 * Read the entries of a text. A file must begin with `schema = 1`; other texts may. In a file no
 * key may come twice, except those that are repeated; in other texts, which may be put together
 * from several, the last one counts.
 */
CUresult cushim__mock_keys_read(struct mock_settings *settings, enum mock_text_kind kind,
                                struct cushim__lines *lines);

/* Read the value of the current entry into a field, as the type of the key says. */
CUresult cushim__mock_key_read(const struct mock_key *key, const struct cushim__lines *lines,
                               void *field);

/* Refuse the value of the current entry. Returns CUDA_ERROR_INVALID_VALUE. */
CUresult cushim__mock_key_refuse(const struct cushim__lines *lines, const char *expected);

#endif
