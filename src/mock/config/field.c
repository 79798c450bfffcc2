/* SPDX-License-Identifier: Apache-2.0 */
/* How the value of a key becomes a field of a struct, by the type of the field. */
#include <string.h>

#include "src/base/lines.h"
#include "src/mock/config/keys.h"
#include "src/mock/config/settings.h"

/* Whether a value could be read as a number at all, and is within the limits of the key. */
static bool is_within(const struct mock_key *key, bool is_read, uint64_t number)
{
    return is_read && number >= key->minimum && number <= key->maximum;
}

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

CUresult cushim__mock_key_unsigned(const struct cushim__lines *lines, const struct mock_key *key,
                                   void *field)
{
    uint64_t number = 0;
    const bool is_read = cushim__value_number(&lines->value, &number);

    if (!is_within(key, is_read, number))
        return cushim__mock_key_refuse(lines, key->expected);
    *(unsigned *)field = (unsigned)number;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_integer(const struct cushim__lines *lines, const struct mock_key *key,
                                  void *field)
{
    int number;

    if (!cushim__value_integer(&lines->value, &number))
        return cushim__mock_key_refuse(lines, key->expected);
    *(int *)field = number;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_number(const struct cushim__lines *lines, const struct mock_key *key,
                                 void *field)
{
    uint64_t number = 0;
    const bool is_read = cushim__value_number(&lines->value, &number);

    if (!is_within(key, is_read, number))
        return cushim__mock_key_refuse(lines, key->expected);
    *(uint64_t *)field = number;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_size(const struct cushim__lines *lines, const struct mock_key *key,
                               void *field)
{
    uint64_t bytes = 0;
    const bool is_read = cushim__value_size(&lines->value, &bytes);

    if (!is_within(key, is_read, bytes))
        return cushim__mock_key_refuse(lines, key->expected);
    *(size_t *)field = (size_t)bytes;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_duration(const struct cushim__lines *lines, const struct mock_key *key,
                                   void *field)
{
    uint64_t ns = 0;
    const bool is_read = cushim__value_duration(&lines->value, &ns);

    if (!is_within(key, is_read, ns))
        return cushim__mock_key_refuse(lines, key->expected);
    *(uint64_t *)field = ns;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_key_version(const struct cushim__lines *lines, const struct mock_key *key,
                                  void *field)
{
    int version = 0;
    const bool is_read = cushim__value_version(&lines->value, &version);

    if (!is_within(key, is_read, (uint64_t)version))
        return cushim__mock_key_refuse(lines, key->expected);
    *(int *)field = version;
    return CUDA_SUCCESS;
}
