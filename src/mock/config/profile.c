/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/profile.h"

#include <stdlib.h>

#include "loader/attributes.h"
#include "src/driver_api/lines.h"
#include "src/mock/config/keys.h"
#include "src/mock/config/settings.h"

#define FIELD(name) offsetof(struct mock_profile, name)

static const struct mock_key keys[] = {
    {.name = "name",
     .expected = "a name of at most 255 characters",
     .read = cushim__mock_key_text,
     .field = FIELD(name),
     .is_required = true},
    {.name = "driver_version",
     .expected = "a version of CUDA from 10.0 on, as 12.8 or 12080",
     .read = cushim__mock_key_number,
     .type = MOCK_KEY_VERSION,
     .field = FIELD(driver_version),
     .minimum = 10000,
     .maximum = 99090,
     .is_required = true},
    {.name = "memory_bytes",
     .expected = "a size from 1 MiB to 1 TiB",
     .read = cushim__mock_key_number,
     .type = MOCK_KEY_SIZE,
     .field = FIELD(memory_bytes),
     .minimum = UINT64_C(1) << 20,
     .maximum = UINT64_C(1) << 40,
     .is_required = true},
    {.name = "priority.least",
     .expected = "a whole number",
     .read = cushim__mock_key_integer,
     .field = FIELD(least_priority)},
    {.name = "priority.greatest",
     .expected = "a whole number",
     .read = cushim__mock_key_integer,
     .field = FIELD(greatest_priority)},
    {0},
};

static const struct mock_key_group groups[] = {
    {.name = "attribute.NAME",
     .prefix = "attribute.",
     .member = "the name of a device attribute without CU_DEVICE_ATTRIBUTE_, or its number",
     .expected = "a whole number",
     .count = MOCK_ATTRIBUTES_MAX,
     .find = cushim__mock_attribute_find,
     .offer = cushim__mock_attribute_offer,
     .store = cushim__mock_profile_store_attribute},
    {.name = "limit.NAME",
     .prefix = "limit.",
     .member = "the name of a limit without CU_LIMIT_, or its number",
     .expected = "a whole number of 0 or more",
     .count = MOCK_LIMITS_MAX,
     .find = cushim__mock_limit_find,
     .offer = cushim__mock_limit_offer,
     .store = cushim__mock_profile_store_limit},
    {0},
};

static const struct mock_keys profile_keys = {keys, groups, "a profile"};

bool cushim__mock_profile_store_attribute(void *profile, unsigned number,
                                          const struct cushim__word *value)
{
    struct mock_profile *stored = profile;

    if (!cushim__value_integer(value, &stored->attributes[number]))
        return false;
    stored->has_attribute[number] = true;
    return true;
}

bool cushim__mock_profile_store_limit(void *profile, unsigned number,
                                      const struct cushim__word *value)
{
    struct mock_profile *stored = profile;
    uint64_t limit;

    if (!cushim__value_size(value, &limit) || limit > SIZE_MAX)
        return false;
    stored->limits[number] = (size_t)limit;
    stored->has_limit[number] = true;
    return true;
}

static CUresult read_text(struct mock_profile *profile, const char *text, const char *where,
                          char *message, size_t message_size)
{
    struct cushim__lines lines;

    cushim__lines_begin(&lines, text, where, message, message_size);
    lines.is_file = true;
    *profile = (struct mock_profile){0};
    return cushim__mock_keys_read(&profile_keys, profile, &lines);
}

CUresult cushim__mock_profile_builtin(struct mock_profile *profile, const struct cushim__word *name,
                                      char *message, size_t message_size)
{
    for (const struct mock_builtin_profile *builtin = cushim__mock_builtin_profiles; builtin->name;
         builtin++) {
        if (cushim__word_is(name, builtin->name))
            return read_text(profile, builtin->text, builtin->name, message, message_size);
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cushim__mock_profile_read(struct mock_profile *profile, const char *path, char *message,
                                   size_t message_size)
{
    char *text;
    CUresult code = cushim__mock_file_read(&text, path, message, message_size);

    if (code != CUDA_SUCCESS)
        return code;
    code = read_text(profile, text, path, message, message_size);
    free(text);
    return code;
}

const char *cushim__mock_profile_key(size_t index)
{
    return cushim__mock_keys_name(&profile_keys, index);
}

/* By name, or by a number from `least` up to `end`. */
static bool find_in(const struct cushim__attribute *rows, size_t count,
                    const struct cushim__word *name, unsigned least, unsigned end, unsigned *number)
{
    uint64_t value;

    for (size_t i = 0; i < count; i++) {
        if (cushim__word_is(name, rows[i].name)) {
            *number = rows[i].number;
            return *number < end;
        }
    }
    if (!cushim__value_number(name, &value) || value < least || value >= end)
        return false;
    *number = (unsigned)value;
    return true;
}

static void offer_all(const struct cushim__attribute *rows, size_t count,
                      struct cushim__suggestion *suggestion)
{
    for (size_t i = 0; i < count; i++)
        cushim__suggestion_offer(suggestion, rows[i].name);
}

bool cushim__mock_attribute_find(const struct cushim__word *name, unsigned *number)
{
    return find_in(cushim__attributes, CUSHIM__ATTRIBUTE_COUNT, name, 1, MOCK_ATTRIBUTES_MAX,
                   number);
}

void cushim__mock_attribute_offer(struct cushim__suggestion *suggestion)
{
    offer_all(cushim__attributes, CUSHIM__ATTRIBUTE_COUNT, suggestion);
}

bool cushim__mock_limit_find(const struct cushim__word *name, unsigned *number)
{
    return find_in(cushim__limits, CUSHIM__LIMIT_COUNT, name, 0, MOCK_LIMITS_MAX, number);
}

void cushim__mock_limit_offer(struct cushim__suggestion *suggestion)
{
    offer_all(cushim__limits, CUSHIM__LIMIT_COUNT, suggestion);
}
