/* SPDX-License-Identifier: Apache-2.0 */
/* What a mock is told to be: lines of `key = value`, read strictly. */
#ifndef CUSHIM_MOCK_SETTINGS_H
#define CUSHIM_MOCK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "src/layer/fault/rule.h"

enum cushim__mode { CUSHIM__MANUAL, CUSHIM__AUTO, CUSHIM__THREADED };
enum cushim__schedule { CUSHIM__FIFO, CUSHIM__EAGER, CUSHIM__LAZY, CUSHIM__RANDOM };
enum cushim__race_search { CUSHIM__RACES_IGNORE, CUSHIM__RACES_REPORT, CUSHIM__RACES_VIOLATION };
enum cushim__personality {
    CUSHIM__NORMAL,
    CUSHIM__NO_DEVICE,       /* cuInit answers 100 */
    CUSHIM__STUB,            /* every call answers 34 */
    CUSHIM__VERSION_MISMATCH /* cuInit answers 803 */
};

enum {
    CUSHIM__DEVICES_MAX = 16,
    CUSHIM__ATTRIBUTES_MAX = 192, /* attribute numbers are below this */
    CUSHIM__LIMITS_MAX = 16,
    CUSHIM__TEXT_SIZE = 256, /* of a text in settings, with its end */
};

/* A kind of device: what a profile says. */
struct cushim__profile {
    char name[CUSHIM__TEXT_SIZE];
    int driver_version;
    size_t memory_bytes;
    int attributes[CUSHIM__ATTRIBUTES_MAX];
    bool has_attribute[CUSHIM__ATTRIBUTES_MAX];
    size_t limits[CUSHIM__LIMITS_MAX];
    bool has_limit[CUSHIM__LIMITS_MAX];
    int least_priority, greatest_priority;
};

/* What operations cost in virtual time. Bandwidths in bytes per microsecond (= MB/s). */
struct cushim__costs {
    uint64_t call_ns;      /* a call that is not listed by name */
    uint64_t record_ns;    /* an event record, on the device */
    uint64_t launch_ns;    /* from submission to start, on an idle stream */
    uint64_t operation_ns; /* what every copy, set or host function costs besides its bytes */
    uint64_t host_to_device_bytes_per_us, device_to_host_bytes_per_us;
    uint64_t device_bytes_per_us, peer_bytes_per_us, set_bytes_per_us;
};

struct cushim__settings {
    unsigned devices;
    int driver_version;  /* as cuDriverGetVersion counts; later symbols do not exist */
    size_t memory_bytes; /* of each device: what can be allocated and what is reported */
    enum cushim__mode mode;
    enum cushim__schedule schedule;
    uint64_t seed; /* of the random schedule, of hostility, and of UUIDs */
    enum cushim__personality personality;
    enum cushim__race_search races; /* whether missing waits are looked for, and what they are */
    bool hostile; /* whatever a driver may do to a program without an error, it does */
    bool abort_on_violation;
    bool skip_unregistered; /* launches of kernels that are not registered do nothing, not 801 */
    unsigned kernels;       /* how many kernels run at once on a device */
    bool report_left;       /* at its exit the drop-in tells what the program has not given back */
    bool quiet;             /* the drop-in does not announce itself on standard error */
    struct cushim__costs costs;
    struct cushim__profile profile;
    /*
     * Cost of a call by slot number, or UINT32_MAX for costs.call_ns; sized by the number of slots.
     */
    uint32_t *call_ns;
    struct cushim__fault_rule faults[CUSHIM__FAULT_RULES];
    size_t fault_count;
    /* Whether these are what the profile says, or were set by a key of their own. */
    bool has_driver_version, has_memory;
};

/*
 * The defaults: one device of profile h200 with 2 GiB. `settings` is uninitialised before, and to
 * be freed after success. CUDA_SUCCESS or OUT_OF_MEMORY.
 */
CUresult cushim__settings_default(struct cushim__settings *settings);

/*
 * Read settings over what is there: from text (`where` names it in messages) or from a file. On a
 * refusal `message` says where and why (`mock.conf:3:8: mode is manual, auto or threaded, not
 * "fast"`), and `settings` are good for nothing but cushim__settings_free(). CUDA_SUCCESS,
 * INVALID_VALUE, FILE_NOT_FOUND or OUT_OF_MEMORY.
 */
CUresult cushim__settings_parse(struct cushim__settings *settings, const char *text,
                                const char *where, char *message, size_t message_size);
CUresult cushim__settings_read(struct cushim__settings *settings, const char *path, char *message,
                               size_t message_size);
void cushim__settings_free(struct cushim__settings *settings);

/* The settings in one line, for the mock's identity. */
void cushim__settings_describe(const struct cushim__settings *settings, char *text, size_t size);

/*
 * The keys of settings and those of a profile, by number from 0; NULL behind the last. Where a key
 * ends in a name of a list, it ends in `NAME` here: for the test of docs/mock.md.
 */
const char *cushim__settings_key(size_t index);
const char *cushim__profile_key(size_t index);

/* Whether a key may come often, and each of its values counts. */
bool cushim__settings_repeat(const char *key, size_t length);

#endif
