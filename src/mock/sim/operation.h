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

/* What executes an operation. Each unit has a number of lanes on a device. */
enum mock_unit {
    MOCK_NO_UNIT, /* none: the operation takes no room on the device */
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
     * Whether it can start; NULL if it always can. If not, the simulator polls it, unless the
     * function has set `stream->state` to MOCK_BLOCKED and arranged for cushim__mock_sim_recheck().
     */
    bool (*ready)(struct mock_operation *operation, struct mock_stream *stream);
    /*
     * Called when the operation is forced because a call waits for it: forces in turn what the
     * operation waits for (cushim__mock_sim_force()). NULL if it waits for nothing.
     */
    void (*force)(const struct mock_operation *operation);
    /*
     * For work whose duration is known only once it is done: does a part of it, under the lock, and
     * reports how long the part takes. The next part is due after this time. The last part returns
     * false, and execute() follows it. NULL if execute() does all the work.
     */
    bool (*step)(struct mock_operation *operation, uint64_t *duration_ns);
    /*
     * Its effect at its end, such as moving bytes, under the lock. Any code but CUDA_SUCCESS is a
     * sticky error. NULL if it has no effect.
     */
    CUresult (*execute)(struct mock_operation *operation);
    /* What it does on the helper thread, without the lock, before execute(). Unit HOST only. */
    void (*host)(struct mock_operation *operation, CUresult status);
    /* host() is called even if earlier work has failed, with the error as status. */
    bool always;
    /*
     * For graphs: gives `to`, a plain copy of `from`, copies of what `from` owns. Returns false if
     * memory runs out. NULL if there is nothing to copy.
     */
    bool (*copy)(const struct mock_operation *from, struct mock_operation *to);
    /*
     * For the race detector (src/race): whether it waits for a value in memory, and what memory it
     * uses. NULL if it does not, or uses none.
     */
    bool (*waits)(const struct mock_operation *operation);
    void (*touch)(const struct mock_operation *operation, struct race_access *access);
    /* Frees what it owns (not itself), executed or not. NULL if it owns nothing. */
    void (*drop)(struct mock_operation *operation);
};

struct mock_operation {
    const struct mock_operation_class *class;
    struct mock_operation *next; /* in its stream */
    uint64_t number;             /* order of submission in the mock, from 1 */
    uint64_t submitted_ns;
    uint64_t duration_ns; /* set at creation; steps add theirs */
    uint8_t unit;         /* enum mock_unit */
    bool begun, worked;   /* whether a part of its work is done, and all of it; see `step` */
    bool needs_executor;  /* it runs even if no call waits for it: the program waits elsewhere */
    uint32_t timeline;    /* this and `before`: of src/race; 0 and NULL unless races are detected */
    struct race_clock *before;
};

/* Create a zeroed operation of a class. Returns NULL if memory runs out. */
void *cushim__mock_operation_create(const struct mock_operation_class *class, enum mock_unit unit,
                                    uint64_t duration_ns);

/* Create an independent copy, for a launch of a graph. Returns NULL if memory runs out. */
void *cushim__mock_operation_copy(const struct mock_operation *operation);

/* Drop and free an operation that no stream has. NULL is a no-op. */
void cushim__mock_operation_destroy(void *operation);

/* For the race detector: the host has seen that an operation in progress is finished. */
void cushim__mock_operation_seen(const struct mock_operation *operation);

/* How long it takes to move these bytes, without the fixed cost of an operation. */
uint64_t cushim__mock_operation_duration(size_t bytes, uint64_t bytes_per_us);

#endif
