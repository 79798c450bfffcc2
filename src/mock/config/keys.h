/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: which a text of settings may have, and how the value of each is read. Keys are rows; the
 * reader, the messages and the test of docs/mock.md all go by them.
 */
#ifndef CUSHIM_MOCK_CONFIG_KEYS_H
#define CUSHIM_MOCK_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "src/driver_api/lines.h"
#include "src/driver_api/suggestion.h"

/* How a number is written, and of which type its field is. */
enum mock_key_type {
    MOCK_KEY_NUMBER,   /* digits: uint64_t */
    MOCK_KEY_UNSIGNED, /* digits: unsigned */
    MOCK_KEY_SIZE,     /* bytes: size_t */
    MOCK_KEY_DURATION, /* nanoseconds: uint64_t */
    MOCK_KEY_VERSION,  /* of CUDA: int */
};

struct mock_key {
    const char *name;
    const char *expected; /* what a value must be, for messages */

    /* Read the value of the current entry, or refuse it. */
    CUresult (*read)(const struct cushim__lines *lines, const struct mock_key *key, void *field);
    size_t field;            /* offset in what is filled; `read` says of which type */
    enum mock_key_type type; /* of a number */
    uint64_t minimum, maximum;
    const char *const *words; /* of an enumeration: the position is the value */
    bool is_required;
    bool is_early;    /* read before all others, wherever it stands */
    bool is_repeated; /* may come often: each is read, in their order */
};

/* Keys that begin alike and end in a name of a list, or in its number: `limit.STACK_SIZE`. */
struct mock_key_group {
    const char *name; /* the prefix with NAME behind it */
    const char *prefix;
    const char *member;   /* what follows the prefix, for messages */
    const char *expected; /* as above */
    unsigned count;       /* numbers are below this */
    bool (*find)(const struct cushim__word *name, unsigned *number);
    void (*offer)(struct cushim__suggestion *suggestion);
    bool (*store)(void *field, unsigned number, const struct cushim__word *value);
    size_t field;
};

struct mock_keys {
    const struct mock_key *keys;         /* ends with a NULL name */
    const struct mock_key_group *groups; /* ends with a NULL name */
    const char *what;                    /* what a file of them is called, for messages */
};

/*
 * Read entries into `base`. A file must begin with `schema = 1`, other texts may. No key comes
 * twice, but for those that are repeated.
 */
CUresult cushim__mock_keys_read(const struct mock_keys *keys, void *base,
                                struct cushim__lines *lines);

/* The names of the keys by number from 0, `schema` first and the groups last; NULL behind them. */
const char *cushim__mock_keys_name(const struct mock_keys *keys, size_t index);

/* Whether a word is a key that may come often. */
bool cushim__mock_keys_repeat(const struct mock_keys *keys, const struct cushim__word *word);

/* A key has this value, which is not what is expected. Returns CUDA_ERROR_INVALID_VALUE. */
CUresult cushim__mock_key_refuse(const struct cushim__lines *lines, const char *expected);

/* How keys are read, by the type of the field. */
CUresult cushim__mock_key_text(const struct cushim__lines *lines, const struct mock_key *key,
                               void *field); /* char[MOCK_TEXT_SIZE] */
CUresult cushim__mock_key_word(const struct cushim__lines *lines, const struct mock_key *key,
                               void *field); /* an enum, from `words` */
CUresult cushim__mock_key_flag(const struct cushim__lines *lines, const struct mock_key *key,
                               void *field); /* bool, from two `words` */
CUresult cushim__mock_key_integer(const struct cushim__lines *lines, const struct mock_key *key,
                                  void *field); /* int, of any sign */
CUresult cushim__mock_key_number(const struct cushim__lines *lines, const struct mock_key *key,
                                 void *field); /* as `type` says */

/* A file of settings or of a profile, as one text. */

/*
 * Read a file whole. `*text` is closed by NUL, and to be freed. FILE_NOT_FOUND if it cannot be
 * read, INVALID_VALUE if it is no text: `message` says why.
 */
CUresult cushim__mock_file_read(char **text, const char *path, char *message, size_t message_size);

/* A path beside a file: as it is if absolute, else in the file's folder. False: it is too long. */
bool cushim__mock_file_beside(char *path, size_t size, const char *file, const char *name,
                              size_t name_length);

#endif
