/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/layer_host.h"
#include "src/base/system.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/lines.h"
#include "src/mock/config/keys.h"
#include "src/mock/config/profile.h"

#define FIELD(name) offsetof(struct mock_settings, name)

enum { OLDEST_VERSION = 10000, NEWEST_VERSION = 13050 };

static const char *const modes[] = {"manual", "auto", "threaded", NULL};
static const char *const schedules[] = {"fifo", "eager", "lazy", "random", NULL};
static const char *const personalities[] = {"normal", "no-device", "stub", "version-mismatch",
                                            NULL};
static const char *const races[] = {"ignore", "report", "misuse", NULL};
static const char *const misuses[] = {"report", "abort", NULL};
static const char *const unregistered[] = {"refuse", "skip", NULL};
static const char *const leaks[] = {"ignore", "report", NULL};
static const char *const answers[] = {"no", "yes", NULL};

/* Whether a value is a path, and not the name of a built-in profile. */
static bool is_path(const struct cushim__word *value)
{
    for (size_t i = 0; i < value->length; i++) {
        if (value->start[i] == '.' || strchr(cushim__host_separators, value->start[i]))
            return true;
    }
    return false;
}

static CUresult read_profile(const struct cushim__lines *lines, const struct mock_key *key,
                             void *field)
{
    const struct cushim__word *value = &lines->value;
    char path[4096];
    CUresult code = CUDA_ERROR_NOT_FOUND;

    if (!is_path(value))
        code = cushim__mock_profile_builtin(field, value, lines->message, lines->message_size);
    else if (cushim__mock_file_beside(path, sizeof path, lines->is_file ? lines->where : NULL,
                                      value->start, value->length))
        code = cushim__mock_profile_read(field, path, lines->message, lines->message_size);
    return code == CUDA_ERROR_NOT_FOUND ? cushim__mock_key_refuse(lines, key->expected) : code;
}

/* A size, or `profile`: that of the real device. */
static CUresult read_memory(const struct cushim__lines *lines, const struct mock_key *key,
                            void *field)
{
    struct mock_settings *settings = field;

    settings->has_memory = !cushim__word_is(&lines->value, "profile");
    return settings->has_memory ? cushim__mock_key_number(lines, key, &settings->memory_bytes)
                                : CUDA_SUCCESS;
}

static CUresult read_version(const struct cushim__lines *lines, const struct mock_key *key,
                             void *field)
{
    struct mock_settings *settings = field;

    settings->has_driver_version = true;
    return cushim__mock_key_number(lines, key, &settings->driver_version);
}

static CUresult read_fault(const struct cushim__lines *lines, const struct mock_key *key,
                           void *field)
{
    struct mock_settings *settings = field;
    const size_t used = settings->faults ? strlen(settings->faults) : 0;
    const struct cushim__word *rule = &lines->value;
    char *faults;
    CUresult code;

    (void)key;
    if (settings->fault_count == CUSHIM__FAULT_RULES)
        return cushim__lines_refuse(lines, rule->start, "there are %d rules already",
                                    CUSHIM__FAULT_RULES);
    code = cushim__fault_check(rule, lines);
    if (code != CUDA_SUCCESS)
        return code;
    faults = realloc(settings->faults, used + rule->length + 2);
    if (!faults)
        return CUDA_ERROR_OUT_OF_MEMORY;
    snprintf(faults + used, rule->length + 2, "%.*s\n", (int)rule->length, rule->start);
    settings->faults = faults;
    settings->fault_count++;
    return CUDA_SUCCESS;
}

/* Of the function with that name: of each ABI, if the name is the plain one. */
static bool store_call(void *field, unsigned number, const struct cushim__word *value)
{
    uint32_t *const *call_ns = field;
    uint64_t ns;

    if (!cushim__value_duration(value, &ns) || ns >= UINT32_MAX)
        return false;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (cushim__name_means(cushim__slot_name(number), slot))
            (*call_ns)[slot] = (uint32_t)ns;
    }
    return true;
}

/* Rows of one shape. */
#define WORDS(key, list, text, reader, member)                                       \
    {                                                                                \
        .name = (key), .expected = (text), .read = (reader), .field = FIELD(member), \
        .words = (list)                                                              \
    }
#define DURATION(key, member)                                                                     \
    {                                                                                             \
        .name = (key), .expected = "a duration from 0 to 1000 s, as 200, 200 ns or 5 us",         \
        .read = cushim__mock_key_number, .type = MOCK_KEY_DURATION, .field = FIELD(costs.member), \
        .maximum = UINT64_C(1000000000000)                                                        \
    }
#define BANDWIDTH(key, member)                                                       \
    {                                                                                \
        .name = (key), .expected = "a whole number of MB/s from 1 to 1000000000",    \
        .read = cushim__mock_key_number, .field = FIELD(costs.member), .minimum = 1, \
        .maximum = 1000000000                                                        \
    }

static const struct mock_key keys[] = {
    {.name = "profile",
     .expected = "h200, or the path of a profile (with a slash or a dot in it)",
     .read = read_profile,
     .field = FIELD(profile),
     .is_early = true},
    {.name = "devices",
     .expected = "a whole number from 0 to 16",
     .read = cushim__mock_key_number,
     .type = MOCK_KEY_UNSIGNED,
     .field = FIELD(devices),
     .maximum = MOCK_DEVICES_MAX},
    {.name = "driver_version",
     .expected = "a version of CUDA from 10.0 to 13.5, as 12.8 or 12080",
     .read = read_version,
     .type = MOCK_KEY_VERSION,
     .minimum = OLDEST_VERSION,
     .maximum = NEWEST_VERSION},
    {.name = "memory",
     .expected = "a size from 1 MiB to 1 TiB, as 2 GiB or 2147483648, or profile",
     .read = read_memory,
     .type = MOCK_KEY_SIZE,
     .minimum = UINT64_C(1) << 20,
     .maximum = UINT64_C(1) << 40},
    WORDS("mode", modes, "manual, auto or threaded", cushim__mock_key_word, mode),
    WORDS("schedule", schedules, "fifo, eager, lazy or random", cushim__mock_key_word, schedule),
    {.name = "seed",
     .expected = "a whole number below 2^64",
     .read = cushim__mock_key_number,
     .field = FIELD(seed),
     .maximum = UINT64_MAX},
    WORDS("personality", personalities, "normal, no-device, stub or version-mismatch",
          cushim__mock_key_word, personality),
    WORDS("races", races, "ignore, report or misuse", cushim__mock_key_word, races),
    WORDS("adversarial", answers, "yes or no", cushim__mock_key_flag, adversarial),
    WORDS("misuse", misuses, "report or abort", cushim__mock_key_flag, abort_on_misuse),
    WORDS("unregistered_kernels", unregistered, "refuse or skip", cushim__mock_key_flag,
          skip_unregistered),
    {.name = "kernels",
     .expected = "a whole number from 1 to 1024",
     .read = cushim__mock_key_number,
     .type = MOCK_KEY_UNSIGNED,
     .field = FIELD(kernels),
     .minimum = 1,
     .maximum = 1024},
    WORDS("leaks", leaks, "ignore or report", cushim__mock_key_flag, report_leaks),
    WORDS("quiet", answers, "yes or no", cushim__mock_key_flag, quiet),
    {.name = "fault",
     .expected = "a rule, as cuMemAlloc_v2:nth=3 => return(OUT_OF_MEMORY)",
     .read = read_fault,
     .is_repeated = true},
    DURATION("cost.call", call_ns),
    DURATION("cost.record", record_ns),
    DURATION("cost.launch", launch_ns),
    DURATION("cost.operation", operation_ns),
    BANDWIDTH("cost.host_to_device", host_to_device_bytes_per_us),
    BANDWIDTH("cost.device_to_host", device_to_host_bytes_per_us),
    BANDWIDTH("cost.device", device_bytes_per_us),
    BANDWIDTH("cost.peer", peer_bytes_per_us),
    BANDWIDTH("cost.set", set_bytes_per_us),
    {0},
};

static const struct mock_key_group groups[] = {
    {.name = "cost.NAME",
     .prefix = "cost.",
     .member = "an operation, or the name of a function",
     .expected = "a duration below 4.29 s, as 200, 200 ns or 5 us",
     .count = CUSHIM__SYMBOL_COUNT,
     .find = cushim__value_function,
     .offer = cushim__suggestion_offer_functions,
     .store = store_call,
     .field = FIELD(call_ns)},
    {.name = "attribute.NAME",
     .prefix = "attribute.",
     .member = "the name of a device attribute without CU_DEVICE_ATTRIBUTE_, or its number",
     .expected = "a whole number",
     .count = MOCK_ATTRIBUTES_MAX,
     .find = cushim__mock_attribute_find,
     .offer = cushim__mock_attribute_offer,
     .store = cushim__mock_profile_store_attribute,
     .field = FIELD(profile)},
    {.name = "limit.NAME",
     .prefix = "limit.",
     .member = "the name of a limit without CU_LIMIT_, or its number",
     .expected = "a size of 0 or more",
     .count = MOCK_LIMITS_MAX,
     .find = cushim__mock_limit_find,
     .offer = cushim__mock_limit_offer,
     .store = cushim__mock_profile_store_limit,
     .field = FIELD(profile)},
    {0},
};

static const struct mock_keys settings_keys = {keys, groups, "a file of settings"};

/* What no key has said comes from the profile. */
static void settle(struct mock_settings *settings)
{
    const int version = settings->profile.driver_version;

    if (!settings->has_driver_version)
        settings->driver_version = version < NEWEST_VERSION ? version : NEWEST_VERSION;
    if (!settings->has_memory)
        settings->memory_bytes = settings->profile.memory_bytes;
}

static CUresult parse(struct mock_settings *settings, const char *text, const char *where,
                      bool is_file, char *message, size_t message_size)
{
    struct cushim__lines lines;
    CUresult code;

    cushim__lines_begin(&lines, text, where, message, message_size);
    lines.is_file = is_file;
    code = cushim__mock_keys_read(&settings_keys, settings, &lines);
    if (code == CUDA_SUCCESS)
        settle(settings);
    return code;
}

CUresult cushim__mock_settings_default(struct mock_settings *settings)
{
    static const struct cushim__word h200 = {"h200", sizeof "h200" - 1};
    CUresult code;

    *settings = (struct mock_settings){
        .devices = 1,
        .memory_bytes = (size_t)2 << 30,
        .has_memory = true,
        .mode = MOCK_AUTO,
        .schedule = MOCK_FIFO,
        .personality = MOCK_NORMAL,
        .kernels = 128,
        .costs = cushim__mock_costs_default,
    };
    code = cushim__mock_profile_builtin(&settings->profile, &h200, NULL, 0);
    if (code != CUDA_SUCCESS)
        return code;
    settle(settings);
    settings->call_ns = malloc(CUSHIM__SYMBOL_COUNT * sizeof *settings->call_ns);
    if (!settings->call_ns)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__mock_costs_fill(settings->call_ns);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_settings_parse(struct mock_settings *settings, const char *text,
                                     const char *where, char *message, size_t message_size)
{
    return parse(settings, text, where, false, message, message_size);
}

/* The message of a refusal, where the file is a profile: say what to do with it. */
static void hint_at_profile(const char *path, char *message, size_t message_size)
{
    struct mock_profile profile;
    const size_t length = message_size ? strlen(message) : 0;

    if (cushim__mock_profile_read(&profile, path, NULL, 0) == CUDA_SUCCESS)
        snprintf(message_size ? message + length : NULL, message_size - length,
                 "; this is a profile: name it with profile = PATH");
}

CUresult cushim__mock_settings_read(struct mock_settings *settings, const char *path, char *message,
                                    size_t message_size)
{
    char *text;
    CUresult code = cushim__mock_file_read(&text, path, message, message_size);

    if (code != CUDA_SUCCESS)
        return code;
    code = parse(settings, text, path, true, message, message_size);
    if (code == CUDA_ERROR_INVALID_VALUE)
        hint_at_profile(path, message, message_size);
    free(text);
    return code;
}

void cushim__mock_settings_free(struct mock_settings *settings)
{
    free(settings->call_ns);
    free(settings->faults);
    settings->call_ns = NULL;
    settings->faults = NULL;
}

void cushim__mock_settings_describe(const struct mock_settings *settings, char *text, size_t size)
{
    snprintf(text, size,
             "%u device%s \"%s\", driver %d.%d, %zu MiB, mode %s, schedule %s, seed %llu, "
             "personality %s%s",
             settings->devices, settings->devices == 1 ? "" : "s", settings->profile.name,
             settings->driver_version / 1000, settings->driver_version % 1000 / 10,
             settings->memory_bytes >> 20, modes[settings->mode], schedules[settings->schedule],
             (unsigned long long)settings->seed, personalities[settings->personality],
             settings->adversarial ? ", adversarial" : "");
}

const char *cushim__mock_settings_key(size_t index)
{
    return cushim__mock_keys_name(&settings_keys, index);
}

bool cushim__mock_settings_repeat(const char *key, size_t length)
{
    return cushim__mock_keys_repeat(&settings_keys, &(struct cushim__word){key, length});
}

/*
 * Costs of the simulated device and driver. They are those of one H200 with driver 580 where they
 * were measured (docs/driver-semantics.md, statements 46, 47 and 80), and plausible elsewhere:
 * virtual time is there to have an order and a scale, not to predict a GPU.
 */

const struct mock_costs cushim__mock_costs_default = {
    /* Of the calls that were measured, those that queue no work take 8 to 289 ns. */
    .call_ns = 200,
    /* An empty pair of events is 1248 ns apart at least. */
    .record_ns = 1248,
    /* Not measured apart from the call. */
    .launch_ns = 2000,
    /*
     * With it and the bandwidth below, 256 MiB are set in 63.5 us between two events, as measured.
     */
    .operation_ns = 1000,
    /* 16 copies of 8 MiB of page-locked memory took 2.475 ms. */
    .host_to_device_bytes_per_us = 54200,
    /* Taken to be the same. */
    .device_to_host_bytes_per_us = 54200,
    /* A byte is read and written: half of what setting one takes. */
    .device_bytes_per_us = 2190000,
    /* Not measured. */
    .peer_bytes_per_us = 300000,
    .set_bytes_per_us = 4380000,
};

#define CALL(name, ns)         \
    {                          \
        CUSHIM__SLOT(name), ns \
    }

/* Medians of statement 80. Where a pair was measured together, each has half of it. */
static const struct {
    size_t slot;
    uint32_t ns;
} calls[] = {
    CALL(Init, 99000000),
    CALL(DevicePrimaryCtxRetain, 110000000),
    CALL(CtxGetCurrent, 8),
    CALL(EventCreate, 140),
    CALL(EventDestroy_v2, 140),
    CALL(EventRecord, 1700),
    CALL(EventQuery, 153),
    CALL(EventElapsedTime, 289),
    CALL(EventElapsedTime_v2, 66),
    CALL(StreamCreate, 2050),
    CALL(StreamCreateWithPriority, 2050),
    CALL(StreamDestroy_v2, 2050),
    CALL(StreamQuery, 165),
    CALL(StreamWaitEvent, 129),
    CALL(StreamGetFlags, 15),
};

/* The function that does the same on the legacy default stream; its own number if there is none. */
static size_t legacy_twin(size_t slot)
{
    const char *name = cushim__slot_name(slot);
    const size_t length = strlen(name) - strlen("_ptsz");

    if (!(cushim__symbols[slot].flags & CUSHIM__PER_THREAD))
        return slot;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const char *other = cushim__slot_name(i);
        if (strlen(other) == length && memcmp(other, name, length) == 0)
            return i;
    }
    return slot;
}

void cushim__mock_costs_fill(uint32_t *call_ns)
{
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        call_ns[i] = UINT32_MAX;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        call_ns[calls[i].slot] = calls[i].ns;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        call_ns[i] = call_ns[legacy_twin(i)];
}
