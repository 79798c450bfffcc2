/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a mock: lines of `key = value`, read strictly. */
#ifndef CUSHIM_MOCK_CONFIG_SETTINGS_H
#define CUSHIM_MOCK_CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

enum mock_mode { MOCK_MODE_MANUAL, MOCK_MODE_AUTO, MOCK_MODE_THREADED };
enum mock_schedule {
    MOCK_SCHEDULE_FIFO,
    MOCK_SCHEDULE_EAGER,
    MOCK_SCHEDULE_LAZY,
    MOCK_SCHEDULE_RANDOM
};
enum mock_unregistered { MOCK_REFUSE_KERNELS, MOCK_SKIP_KERNELS, MOCK_EXECUTE_KERNELS };
enum mock_race_setting {
    MOCK_RACES_IGNORE,
    MOCK_RACES_REPORT,
    MOCK_RACES_MISUSE,
    MOCK_RACES_KERNELS, /* as REPORT, and also between threads of a kernel */
};
enum mock_driver_state {
    MOCK_DRIVER_NORMAL,
    MOCK_DRIVER_NO_DEVICE,       /* cuInit returns 100 */
    MOCK_DRIVER_STUB,            /* every call returns 34 */
    MOCK_DRIVER_VERSION_MISMATCH /* cuInit returns 803 */
};

enum {
    MOCK_DEVICES_MAX = 16,
    MOCK_ATTRIBUTES_MAX = 192, /* attribute numbers are below this */
    MOCK_LIMITS_MAX = 16,
    MOCK_TEXT_SIZE = 256, /* of a text in settings, with its NUL */
};

/* A kind of device, as a profile describes it. */
struct mock_profile {
    char name[MOCK_TEXT_SIZE];
    int driver_version;
    size_t memory_bytes;
    int attributes[MOCK_ATTRIBUTES_MAX];
    bool has_attribute[MOCK_ATTRIBUTES_MAX];
    size_t limits[MOCK_LIMITS_MAX];
    bool has_limit[MOCK_LIMITS_MAX];
    int least_priority, greatest_priority;
};

/* The built-in profiles, written by profiles/embed.py. Ends with a NULL name. */
struct mock_builtin_profile {
    const char *name;
    const char *text;
};
extern const struct mock_builtin_profile cushim__mock_builtin_profiles[];

/* The costs of operations in virtual time. Bandwidths in bytes per microsecond (= MB/s). */
struct mock_costs {
    uint64_t call_ns;      /* a call that is not listed by name */
    uint64_t record_ns;    /* an event record, on the device */
    uint64_t launch_ns;    /* from submission to start, on an idle stream */
    uint64_t operation_ns; /* what every copy, set or host function costs, besides its bytes */
    uint64_t host_to_device_bytes_per_us, device_to_host_bytes_per_us;
    uint64_t device_bytes_per_us, peer_bytes_per_us, set_bytes_per_us;
};

struct mock_settings {
    unsigned devices;
    int driver_version;  /* as cuDriverGetVersion returns it; later symbols do not exist */
    size_t memory_bytes; /* of each device: what can be allocated and what is reported */
    enum mock_mode mode;
    enum mock_schedule schedule;
    uint64_t seed; /* of the random schedule, of adversarial mode, and of UUIDs */
    enum mock_driver_state driver_state;
    enum mock_race_setting races; /* whether data races are detected, and how they are reported */
    bool adversarial;             /* do whatever a correct driver may do to a program */
    bool abort_on_misuse;
    enum mock_unregistered unregistered; /* what launches of unregistered kernels do */
    uint64_t kernel_limit;       /* most instructions of an executed kernel; 0 for no limit */
    unsigned concurrent_kernels; /* how many kernels a device runs at once */
    bool report_leaks; /* at exit the drop-in library prints what the program has leaked */
    bool quiet;        /* the drop-in library does not announce itself on standard error */
    struct mock_costs costs;
    struct mock_profile profile;
    /*
     * Cost of a call by slot number, or UINT32_MAX for costs.call_ns; sized by the number of slots.
     */
    uint32_t *call_ns;
    char *faults; /* the fault rules, a line each; NULL if there are none */
    size_t fault_count;
    /* If false, the profile gives driver_version or memory_bytes. */
    bool has_driver_version, has_memory;
};

/*
 * Set the defaults: one device of profile h200 with 2 GiB. `settings` may be uninitialised; after
 * success the caller frees it. CUDA_SUCCESS or OUT_OF_MEMORY.
 */
CUresult cushim__mock_settings_default(struct mock_settings *settings);

/*
 * Read settings from a text (`where` names it in messages) or a file. They override the present
 * ones. If they are refused, `message` says where and why (`mock.conf:3:8: mode is manual, auto or
 * threaded, not "fast"`), and the caller may only pass `settings` to cushim__mock_settings_free().
 * CUDA_SUCCESS, INVALID_VALUE, FILE_NOT_FOUND or OUT_OF_MEMORY.
 */
CUresult cushim__mock_settings_parse(struct mock_settings *settings, const char *text,
                                     const char *where, char *message, size_t message_size);
CUresult cushim__mock_settings_read(struct mock_settings *settings, const char *path, char *message,
                                    size_t message_size);
void cushim__mock_settings_free(struct mock_settings *settings);

/* Write the settings on one line, for the mock's identity. */
void cushim__mock_settings_describe(const struct mock_settings *settings, char *text, size_t size);

/* The name of a device attribute in profiles; NULL if no attribute has this number. */
const char *cushim__mock_attribute_name(int number);

#endif
