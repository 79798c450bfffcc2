/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations: what streams execute, one after the other.
 *
 * Each kind of operation is a class (data) and a struct that begins with `struct mock_operation`.
 * An operation is small: a million of them may be pending.
 */
#ifndef CUSHIM_MOCK_SIM_OPERATION_H
#define CUSHIM_MOCK_SIM_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct race_access;
struct race_clock;
struct mock_stream;
struct mock_operation;

/* What executes an operation. Each has so many lanes on a device. */
enum mock_unit {
    MOCK_NO_UNIT, /* nothing: it takes no room on the device */
    MOCK_HOST_TO_DEVICE,
    MOCK_DEVICE_TO_HOST,
    MOCK_DEVICE_TO_DEVICE,
    MOCK_COMPUTE,
    MOCK_HOST, /* the context's helper thread */
    MOCK_UNITS
};

struct mock_operation_class {
    const char *name; /* in traces: `copy`, `record`, ... */
    size_t size;      /* of the struct that begins with the operation */
    CUgraphNodeType node_type;
    /*
     * Whether it can start; NULL: always. If not, the simulator asks again and again (it polls),
     * unless the function has set `stream->state` to MOCK_BLOCKED and sees to
     * cushim__mock_sim_recheck().
     */
    bool (*ready)(struct mock_operation *operation, struct mock_stream *stream);
    /*
     * It is forced, as a call waits for it: force what it waits for itself
     * (cushim__mock_sim_force()). NULL: that is nothing.
     */
    void (*force)(const struct mock_operation *operation);
    /*
     * Its work, where only the work itself shows how long it takes: do a part of it, under the
     * lock, and say how long that takes. The next part comes after this time, and after the last
     * one (false) execute(). NULL: execute() does it all.
     */
    bool (*step)(struct mock_operation *operation, uint64_t *duration_ns);
    /*
     * Its effect, at its end, under the lock: bytes move here. Anything but CUDA_SUCCESS is a
     * sticky error. NULL: none.
     */
    CUresult (*execute)(struct mock_operation *operation);
    /* What it does on the helper thread, without the lock, before execute(). Unit HOST only. */
    void (*host)(struct mock_operation *operation, CUresult status);
    /* host() is called also when the work before it failed, with the error as status. */
    bool always;
    /*
     * Make `to`, a plain copy of `from`, own its own: for graphs. False: out of memory. NULL: fine.
     */
    bool (*copy)(const struct mock_operation *from, struct mock_operation *to);
    /*
     * For the race detector (src/race): whether it waits for a value in memory, and
     * what memory it uses. NULL: it does not, and none.
     */
    bool (*waits)(const struct mock_operation *operation);
    void (*touch)(const struct mock_operation *operation, struct race_access *access);
    /* Free what it owns (not itself): after its execution or instead of it. NULL: nothing. */
    void (*drop)(struct mock_operation *operation);
};

struct mock_operation {
    const struct mock_operation_class *class;
    struct mock_operation *next; /* in its stream */
    uint64_t number;             /* order of submission in the mock, from 1 */
    uint64_t submitted_ns;
    uint64_t duration_ns; /* set by whoever creates it; steps add theirs */
    uint8_t unit;         /* enum mock_unit */
    bool begun, worked;   /* a part of its work is done, and all of it: see `step` */
    bool needs_executor;  /* it runs though no call waits for it: the program waits elsewhere */
    uint32_t timeline;    /* these two are of src/race: 0 and NULL unless races are looked for */
    struct race_clock *before;
};

/* A zeroed operation of a class. NULL: out of memory. */
void *cushim__mock_operation_create(const struct mock_operation_class *class, enum mock_unit unit,
                                    uint64_t duration_ns);

/* A copy that owns its own, for a launch of a graph. NULL: out of memory. */
void *cushim__mock_operation_copy(const struct mock_operation *operation);

/* Drop and free an operation that no stream has. NULL is a no-op. */
void cushim__mock_operation_destroy(void *operation);

/* The host has seen that an operation under way is finished, as far as races are concerned. */
void cushim__mock_operation_seen(const struct mock_operation *operation);

/* How long moving so many bytes takes, besides the fixed cost of an operation. */
uint64_t cushim__mock_operation_duration(size_t bytes, uint64_t bytes_per_us);

#endif
