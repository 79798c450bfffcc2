/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/key_values.h"
#include "src/base/system.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/versions.h"
#include "src/layer/mock_interface.h"
#include "src/mock/config/keys.h"

#define FIELD(name) offsetof(struct mock_settings, name)

static const char *const modes[] = {"manual", "auto", "threaded", NULL};
static const char *const schedules[] = {"fifo", "eager", "lazy", "random", NULL};
static const char *const driver_states[] = {"normal", "no-device", "stub", "version-mismatch",
                                            NULL};
static const char *const races[] = {"ignore", "report", "misuse", "kernels", NULL};
static const char *const misuses[] = {"report", "abort", NULL};
static const char *const unregistered[] = {"refuse", "skip", "execute", NULL};
static const char *const leaks[] = {"ignore", "report", NULL};
static const char *const answers[] = {"no", "yes", NULL};

/* Larger than any sensible text. This also bounds a file that grows while it is read. */
enum { LARGEST = 1 << 20 };

static CUresult refuse(CUresult code, const char *path, const char *why, char *message, size_t size)
{
    if (size)
        snprintf(message, size, "%s: %s", path, why);
    return code;
}

static CUresult read_file(char **text, const char *path, char *message, size_t message_size)
{
    FILE *file = cushim__system_open_file(path);
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

/* The length of a file's folder, with the separator at its end. */
static size_t folder_length(const char *file)
{
    size_t length = strlen(file);

    while (length > 0 && !strchr(cushim__system_separators, file[length - 1]))
        length--;
    return length;
}

/* Make a path: unchanged if absolute, else in the folder of a file. False if it is too long. */
static bool path_beside(char *path, size_t size, const char *file, const struct cushim__word *name)
{
    const bool rooted = !cushim__system_path_is_relative(name->start, name->length);
    const size_t folder = file && !rooted ? folder_length(file) : 0;
    const int length = snprintf(path, size, "%.*s%.*s", (int)folder, folder > 0 ? file : "",
                                (int)name->length, name->start);

    return length > 0 && (size_t)length < size;
}

/* Take the values that no key has set from the profile. */
static void settle(struct mock_settings *settings)
{
    const int version = settings->profile.driver_version;

    if (!settings->has_driver_version)
        settings->driver_version =
            version < CUSHIM__NEWEST_VERSION ? version : CUSHIM__NEWEST_VERSION;
    if (!settings->has_memory)
        settings->memory_bytes = settings->profile.memory_bytes;
}

static CUresult parse(struct mock_settings *settings, enum mock_text_kind kind, const char *text,
                      const char *where, bool is_file, char *message, size_t message_size)
{
    struct cushim__lines lines;
    CUresult code;

    cushim__lines_begin(&lines, text, where, message, message_size);
    lines.is_file = is_file;
    if (kind == MOCK_OF_PROFILE)
        settings->profile = (struct mock_profile){0};
    code = cushim__mock_keys_read(settings, kind, &lines);
    if (code == CUDA_SUCCESS)
        settle(settings);
    return code;
}

static CUresult parse_file(struct mock_settings *settings, enum mock_text_kind kind,
                           const char *path, char *message, size_t message_size)
{
    char *text;
    CUresult code = read_file(&text, path, message, message_size);

    if (code != CUDA_SUCCESS)
        return code;
    code = parse(settings, kind, text, path, true, message, message_size);
    free(text);
    return code;
}

/* Returns NOT_FOUND if there is none of this name. */
static CUresult parse_builtin(struct mock_settings *settings, const struct cushim__word *name,
                              char *message, size_t message_size)
{
    for (const struct mock_builtin_profile *builtin = cushim__mock_builtin_profiles; builtin->name;
         builtin++) {
        if (cushim__word_is(name, builtin->name))
            return parse(settings, MOCK_OF_PROFILE, builtin->text, builtin->name, true, message,
                         message_size);
    }
    return CUDA_ERROR_NOT_FOUND;
}

/* Whether a value is a path, and not the name of a built-in profile. */
static bool is_path(const struct cushim__word *value)
{
    for (size_t i = 0; i < value->length; i++) {
        if (value->start[i] == '.' || strchr(cushim__system_separators, value->start[i]))
            return true;
    }
    return false;
}

static CUresult read_profile(struct mock_settings *settings, const struct mock_key *key,
                             const struct cushim__lines *lines)
{
    char path[4096];
    CUresult code = CUDA_ERROR_NOT_FOUND;

    if (!is_path(&lines->value))
        code = parse_builtin(settings, &lines->value, lines->message, lines->message_size);
    else if (path_beside(path, sizeof path, lines->is_file ? lines->where : NULL, &lines->value))
        code = parse_file(settings, MOCK_OF_PROFILE, path, lines->message, lines->message_size);
    return code == CUDA_ERROR_NOT_FOUND ? cushim__mock_key_refuse(lines, key->expected) : code;
}

/* Read a size, or `profile` for that of the real device. */
static CUresult read_memory(struct mock_settings *settings, const struct mock_key *key,
                            const struct cushim__lines *lines)
{
    settings->has_memory = !cushim__word_is(&lines->value, "profile");
    return settings->has_memory ? cushim__mock_key_read(key, lines, &settings->memory_bytes)
                                : CUDA_SUCCESS;
}

static CUresult read_version(struct mock_settings *settings, const struct mock_key *key,
                             const struct cushim__lines *lines)
{
    settings->has_driver_version = true;
    return cushim__mock_key_read(key, lines, &settings->driver_version);
}

/* A build without the execution of kernels refuses `execute`, and says why. */
static CUresult read_unregistered(struct mock_settings *settings, const struct mock_key *key,
                                  const struct cushim__lines *lines)
{
    if (!CUSHIM_KERNELS && cushim__word_is(&lines->value, "execute"))
        return cushim__lines_refuse(lines, lines->value.start,
                                    "%s cannot be execute: this cushim was built without the "
                                    "execution of kernels; build it with -Dkernels=enabled",
                                    key->name);
    return cushim__mock_key_read(key, lines, &settings->unregistered);
}

static CUresult read_fault(struct mock_settings *settings, const struct mock_key *key,
                           const struct cushim__lines *lines)
{
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

/* Set the cost of a function by its name; a plain name sets all its ABIs. */
static bool store_call(struct mock_settings *settings, unsigned number,
                       const struct cushim__word *value)
{
    uint64_t ns;

    if (!cushim__value_duration(value, &ns) || ns >= UINT32_MAX)
        return false;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (cushim__name_means(cushim__slot_name(number), slot))
            settings->call_ns[slot] = (uint32_t)ns;
    }
    return true;
}

static bool store_attribute(struct mock_settings *settings, unsigned number,
                            const struct cushim__word *value)
{
    if (!cushim__value_integer(value, &settings->profile.attributes[number]))
        return false;
    settings->profile.has_attribute[number] = true;
    return true;
}

static bool store_limit(struct mock_settings *settings, unsigned number,
                        const struct cushim__word *value)
{
    uint64_t limit;

    if (!cushim__value_size(value, &limit) || limit > SIZE_MAX)
        return false;
    settings->profile.limits[number] = (size_t)limit;
    settings->profile.has_limit[number] = true;
    return true;
}

/* Rows of settings that have the same shape. */
#define WORDS(key, list, text, kind, member)                                          \
    {                                                                                 \
        .name = (key), .expected = (text), .kinds = MOCK_OF_SETTINGS, .type = (kind), \
        .field = FIELD(member), .words = (list)                                       \
    }
#define DURATION(key, member)                                                               \
    {                                                                                       \
        .name = (key), .expected = "a duration from 0 to 1000 s, as 200 ns or 5 us",        \
        .kinds = MOCK_OF_SETTINGS, .type = MOCK_KEY_DURATION, .field = FIELD(costs.member), \
        .maximum = UINT64_C(1000000000000)                                                  \
    }
#define BANDWIDTH(key, member)                                                            \
    {                                                                                     \
        .name = (key), .expected = "a whole number of MB/s from 1 to 1000000000",         \
        .kinds = MOCK_OF_SETTINGS, .type = MOCK_KEY_NUMBER, .field = FIELD(costs.member), \
        .minimum = 1, .maximum = 1000000000                                               \
    }

const struct mock_key cushim__mock_keys[] = {
    {"profile",
     "h200, h100, t4, a100, rtx4090, or the path of a profile (with a slash or a dot in it)",
     MOCK_OF_SETTINGS, .read = read_profile, .is_early = true},
    {"devices", "a whole number from 0 to 16", MOCK_OF_SETTINGS, MOCK_KEY_UNSIGNED,
     .field = FIELD(devices), .maximum = MOCK_DEVICES_MAX},
    {"driver_version", "a version of CUDA " CUSHIM__VERSION_RANGE ", as 12.8 or 12080",
     MOCK_OF_SETTINGS, MOCK_KEY_VERSION, .minimum = CUSHIM__OLDEST_VERSION,
     .maximum = CUSHIM__NEWEST_VERSION, .read = read_version},
    {"memory", "a size from 1 MiB to 1 TiB, as 2 GiB or 2147483648, or profile", MOCK_OF_SETTINGS,
     MOCK_KEY_SIZE, .minimum = UINT64_C(1) << 20, .maximum = UINT64_C(1) << 40,
     .read = read_memory},
    WORDS("mode", modes, "manual, auto or threaded", MOCK_KEY_WORD, mode),
    WORDS("schedule", schedules, "fifo, eager, lazy or random", MOCK_KEY_WORD, schedule),
    {"seed", "a whole number below 2^64", MOCK_OF_SETTINGS, MOCK_KEY_NUMBER, .field = FIELD(seed),
     .maximum = UINT64_MAX},
    WORDS("driver_state", driver_states, "normal, no-device, stub or version-mismatch",
          MOCK_KEY_WORD, driver_state),
    WORDS("races", races, "ignore, report, misuse or kernels", MOCK_KEY_WORD, races),
    WORDS("adversarial", answers, "yes or no", MOCK_KEY_FLAG, adversarial),
    WORDS("misuse", misuses, "report or abort", MOCK_KEY_FLAG, abort_on_misuse),
    {"unregistered_kernels", CUSHIM_KERNELS ? "refuse, skip or execute" : "refuse or skip",
     MOCK_OF_SETTINGS, MOCK_KEY_WORD, .words = unregistered, .read = read_unregistered},
    {"kernel_limit", "a whole number of instructions below 2^64", MOCK_OF_SETTINGS, MOCK_KEY_NUMBER,
     .field = FIELD(kernel_limit), .maximum = UINT64_MAX},
    {"concurrent_kernels", "a whole number from 1 to 1024", MOCK_OF_SETTINGS, MOCK_KEY_UNSIGNED,
     .field = FIELD(concurrent_kernels), .minimum = 1, .maximum = 1024},
    WORDS("leaks", leaks, "ignore or report", MOCK_KEY_FLAG, report_leaks),
    WORDS("quiet", answers, "yes or no", MOCK_KEY_FLAG, quiet),
    {"fault", "a rule, as cuMemAlloc_v2:nth=3 => return(OUT_OF_MEMORY)", MOCK_OF_SETTINGS,
     .read = read_fault, .is_repeated = true},
    DURATION("cost.call", call_ns),
    DURATION("cost.record", record_ns),
    DURATION("cost.launch", launch_ns),
    DURATION("cost.operation", operation_ns),
    BANDWIDTH("cost.host_to_device", host_to_device_bytes_per_us),
    BANDWIDTH("cost.device_to_host", device_to_host_bytes_per_us),
    BANDWIDTH("cost.device", device_bytes_per_us),
    BANDWIDTH("cost.peer", peer_bytes_per_us),
    BANDWIDTH("cost.set", set_bytes_per_us),
    {"name", "a name of at most 255 characters", MOCK_OF_PROFILE, MOCK_KEY_TEXT,
     .field = FIELD(profile.name), .is_required = true},
    {"driver_version", "a version of CUDA from 10.0 on, as 12.8 or 12080", MOCK_OF_PROFILE,
     MOCK_KEY_VERSION, .field = FIELD(profile.driver_version), .minimum = CUSHIM__OLDEST_VERSION,
     .maximum = 99090, .is_required = true},
    {"memory_bytes", "a size from 1 MiB to 1 TiB", MOCK_OF_PROFILE, MOCK_KEY_SIZE,
     .field = FIELD(profile.memory_bytes), .minimum = UINT64_C(1) << 20,
     .maximum = UINT64_C(1) << 40, .is_required = true},
    {"priority.least", "a whole number", MOCK_OF_PROFILE, MOCK_KEY_INTEGER,
     .field = FIELD(profile.least_priority)},
    {"priority.greatest", "a whole number", MOCK_OF_PROFILE, MOCK_KEY_INTEGER,
     .field = FIELD(profile.greatest_priority)},
    {0},
};

const struct mock_key_group cushim__mock_key_groups[] = {
    {"cost.NAME", "cost.", "an operation, or the name of a function",
     "a duration below 4.29 s, as 200 ns or 5 us", MOCK_OF_SETTINGS, .count = CUSHIM__SYMBOL_COUNT,
     .store = store_call, .is_duration = true},
    {"attribute.NAME", "attribute.",
     "the name of a device attribute without CU_DEVICE_ATTRIBUTE_, or its number", "a whole number",
     MOCK_OF_SETTINGS | MOCK_OF_PROFILE, .rows = cushim__attributes,
     .row_count = CUSHIM__ATTRIBUTE_COUNT, .least = 1, .count = MOCK_ATTRIBUTES_MAX,
     .store = store_attribute},
    {"limit.NAME", "limit.", "the name of a limit without CU_LIMIT_, or its number",
     "a size of 0 or more", MOCK_OF_SETTINGS | MOCK_OF_PROFILE, .rows = cushim__limits,
     .row_count = CUSHIM__LIMIT_COUNT, .count = MOCK_LIMITS_MAX, .store = store_limit},
    {0},
};

/*
 * Costs of the simulated device and driver. They are those of one H200 with driver 580 where they
 * were measured (driver-semantics.md #46, #47 and #80), and plausible elsewhere: virtual time has
 * to give an order and a scale, not to predict a GPU.
 */

static const struct mock_costs default_costs = {
    /* Of the calls that were measured, those that queue no work take 8 to 289 ns. */
    .call_ns = 200,
    /* Two events with nothing between them are at least 1248 ns apart. */
    .record_ns = 1248,
    /* Not measured separately from the call. */
    .launch_ns = 2000,
    /* With this and the set bandwidth, 256 MiB are set in 63.5 us between events, as measured. */
    .operation_ns = 1000,
    /* 16 copies of 8 MiB of page-locked memory took 2.475 ms. */
    .host_to_device_bytes_per_us = 54200,
    /* Assumed to be the same. */
    .device_to_host_bytes_per_us = 54200,
    /* A byte is read and written, so this is half the bandwidth of setting one. */
    .device_bytes_per_us = 2190000,
    /* Not measured. */
    .peer_bytes_per_us = 300000,
    .set_bytes_per_us = 4380000,
};

#define CALL(name, ns)         \
    {                          \
        CUSHIM__SLOT(name), ns \
    }

/* Medians of driver-semantics.md #80. If a pair was measured together, each has half of it. */
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

/* The function that does the same on the legacy default stream, or `slot` if there is none. */
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

static void fill_costs(uint32_t *call_ns)
{
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        call_ns[i] = UINT32_MAX;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        call_ns[calls[i].slot] = calls[i].ns;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        call_ns[i] = call_ns[legacy_twin(i)];
}

CUresult cushim__mock_settings_default(struct mock_settings *settings)
{
    static const struct cushim__word h200 = {"h200", sizeof "h200" - 1};
    CUresult code;

    *settings = (struct mock_settings){
        .devices = 1,
        .memory_bytes = (size_t)2 << 30,
        .has_memory = true,
        .mode = MOCK_MODE_AUTO,
        .schedule = MOCK_SCHEDULE_FIFO,
        .driver_state = MOCK_DRIVER_NORMAL,
        .unregistered = CUSHIM_KERNELS ? MOCK_EXECUTE_KERNELS : MOCK_REFUSE_KERNELS,
        .concurrent_kernels = 128,
        .costs = default_costs,
    };
    code = parse_builtin(settings, &h200, NULL, 0);
    if (code != CUDA_SUCCESS)
        return code;
    settings->call_ns = malloc(CUSHIM__SYMBOL_COUNT * sizeof *settings->call_ns);
    if (!settings->call_ns)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fill_costs(settings->call_ns);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_settings_parse(struct mock_settings *settings, const char *text,
                                     const char *where, char *message, size_t message_size)
{
    return parse(settings, MOCK_OF_SETTINGS, text, where, false, message, message_size);
}

CUresult cushim__mock_settings_read(struct mock_settings *settings, const char *path, char *message,
                                    size_t message_size)
{
    return parse_file(settings, MOCK_OF_SETTINGS, path, message, message_size);
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
             "%u device%s \"%s\", CUDA %d.%d, %zu MiB, mode %s, schedule %s, seed %llu, "
             "driver_state %s%s%s",
             settings->devices, settings->devices == 1 ? "" : "s", settings->profile.name,
             settings->driver_version / 1000, settings->driver_version % 1000 / 10,
             settings->memory_bytes >> 20, modes[settings->mode], schedules[settings->schedule],
             (unsigned long long)settings->seed, driver_states[settings->driver_state],
             CUSHIM_KERNELS ? "" : ", no execution of kernels",
             settings->adversarial ? ", adversarial" : "");
}

const char *cushim__mock_attribute_name(int number)
{
    for (size_t i = 0; i < CUSHIM__ATTRIBUTE_COUNT; i++) {
        if ((int)cushim__attributes[i].number == number)
            return cushim__attributes[i].name;
    }
    return NULL;
}
