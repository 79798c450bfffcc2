/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a mock driver and a layer know of each other. The layer is over any table; where that is
 * a mock's, the mock is its host, and lends it the virtual time. The mock in turn asks the layer
 * for the faults of what it executes itself. Neither includes anything else of the other.
 *
 * The layer's lock is taken before the mock's: what the layer calls here may take the mock's lock,
 * and what the mock calls under its own lock never takes the layer's.
 */
#ifndef CUSHIM_SRC_BASE_LAYER_HOST_H
#define CUSHIM_SRC_BASE_LAYER_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include <cushim/testing/layer.h>

struct cushim__lines;
struct cushim__word;

/* What the layer asks of a mock. None of these calls the driver. */
struct cushim__layer_host {
    uint64_t (*now_ns)(void);
    void (*delay)(uint64_t duration_ns); /* let virtual time pass */
    void (*fault)(CUresult code);        /* begin a sticky error */
    CUcontext (*current)(int *device);   /* the current context, and its device; NULL: none */
    void (*alone)(void (*act)(void));    /* call `act` while no operation begins or ends */
    void (*release)(void);               /* let operations go on that hang */
    /* an object, or the memory from this address on, has this tag in recordings */
    void (*set_tag)(uint64_t value, bool is_memory, const char *tag);
};

/* NULL: there is no mock. */
extern const struct cushim__layer_host *cushim__layer_host;

/*
 * The innermost call of this thread that the layer has numbered; its number is 0 if there is none.
 * What the mock notes during a call names the call by this, so that all messages count alike.
 */
struct cushim__caller {
    uint64_t number;
    unsigned thread;
    uintptr_t function, outer; /* of the layer: behind them on the stack is who has called */
};
extern _Thread_local struct cushim__caller cushim__caller;

/*
 * Whether this thread is in the function that stands for a kernel. It is called under the mock's
 * lock, so that a call of the driver from it would never return: it answers
 * CUDA_ERROR_NOT_PERMITTED instead, and the layer passes it on unwatched.
 */
extern _Thread_local bool cushim__in_kernel;

enum { CUSHIM__FAULT_RULES = 64 }; /* there are at most so many rules at once */

/*
 * Check a rule of faults, which is a part of the current line. On a refusal the message of `lines`
 * says where and why. CUDA_SUCCESS or INVALID_VALUE.
 */
CUresult cushim__fault_check(const struct cushim__word *rule, const struct cushim__lines *lines);

/* cushim_layer_create() over this table. */
CUresult cushim__layer_create(const struct cushim_table *table, struct cushim_layer **layer);

/* Whether a rule makes a symbol missing. Any thread, with any lock. */
bool cushim__fault_hides(unsigned slot);

/* What the rules do to an operation. */
struct cushim__operation_fault {
    uint64_t delay_ns;
    bool hangs;
    CUresult code; /* of the sticky error that it ends with; CUDA_SUCCESS: none */
    bool is_lost;  /* and then its device is lost; -1: all are */
    int device;
};

/*
 * Called, under the mock's lock, when an operation begins: `kind` is the name of its class. NULL:
 * no rule is about operations.
 */
extern void (*cushim__fault_of_operation)(struct cushim__operation_fault *fault, const char *kind,
                                          int device);

/*
 * Called, under the mock's lock, when a call of this thread queues an operation that takes time on
 * the device, and when an operation has ended. NULL: nobody wants to know.
 */
extern void (*cushim__operation_submitted)(uint64_t number);
extern void (*cushim__operation_ended)(uint64_t number, uint64_t began_ns, uint64_t ended_ns);

/* From now on functions that name this device answer `code`; -1: any device. Takes no lock. */
void cushim__device_lose(CUresult code, int device);

/*
 * Print each rule that never fired, but for those that hide symbols: they may have done so before
 * the program looked. Prints nothing if a call holds the layer's lock and does not let it go.
 */
void cushim__faults_print_unused(void (*print)(const char *line));

#endif
