/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that the layer and a mock driver know of each other. The layer wraps any table and calls no
 * function of a mock: a mock gives it callbacks, among them the virtual clock. The mock asks the
 * layer for the faults of the operations that it executes, and includes no other header of it.
 *
 * The layer's lock is taken before the mock's: what the layer calls here may take the mock's lock,
 * and what the mock calls under its own lock never takes the layer's.
 */
#ifndef CUSHIM_LAYER_MOCK_INTERFACE_H
#define CUSHIM_LAYER_MOCK_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

#include <cushim/testing/layer.h>

#include "src/base/call_site.h"
#include "src/driver_api/object_type.h"

struct cushim__lines;
struct cushim__word;

/* What the layer asks of a mock. None of these functions calls the driver. */
struct cushim__mock_callbacks {
    uint64_t (*now_ns)(void);
    void (*delay)(uint64_t duration_ns); /* let virtual time pass */
    void (*fault)(CUresult code);        /* begin a sticky error */
    CUcontext (*current)(int *device);   /* the current context, and its device; NULL if none */
    void (*alone)(void (*act)(void));    /* call `act` while no operation begins or ends */
    void (*release)(void);               /* let hanging operations continue */
    bool (*finds_races)(void); /* whether the mock looks for races between its operations */
    /* give an object of this type, or the memory from this address on, this tag in recordings */
    void (*set_tag)(uint64_t value, enum cushim__object_type type, const char *tag);
};

/* The callbacks of the mock of this process; NULL if there is none. */
extern const struct cushim__mock_callbacks *cushim__layer_mock;

/* Called by a mock when it is created, and with NULL when that fails or it is destroyed. */
void cushim__layer_set_mock(const struct cushim__mock_callbacks *mock);

/* What only a mock can know of a program's mistakes. */
enum cushim__mock_found {
    CUSHIM__MOCK_FOUND_HANDLE,    /* a value that is not the handle of an object of this kind */
    CUSHIM__MOCK_FOUND_UNDEFINED, /* a call on which the driver crashes, or whose outcome is open */
    CUSHIM__MOCK_FOUND_WAIT,      /* a call that would wait for ever */
    CUSHIM__MOCK_FOUND_RACE,      /* operations that nothing orders */
    CUSHIM__MOCK_FOUND_KERNEL_RACE, /* threads of a kernel that nothing orders */
};

/* A call that a finding names; `name` stays, and is empty if it is no call. */
struct cushim__mock_call {
    const char *name;
    struct cushim__call_place place;
};

struct cushim__mock_finding {
    enum cushim__mock_found found;
    const char *what;                         /* a sentence without its full stop */
    struct cushim__mock_call misuse, earlier; /* `earlier`: the other call of a race */
    uint64_t memory;                          /* where the memory of a race begins, or 0 */
};

/*
 * What a mock is given by those who link it with check: hands over a finding, under the mock's
 * lock, and writes it as one line. Returns whether check prints it, too.
 */
typedef bool cushim__mock_report(const struct cushim__mock_finding *finding, char *line,
                                 size_t size);

enum { CUSHIM__FAULT_RULES = 64 }; /* the most rules at one time */

/*
 * Check a fault rule, which is a part of the current line. Returns CUDA_SUCCESS, or INVALID_VALUE
 * if it is refused; the message of `lines` then says where and why.
 */
CUresult cushim__fault_check(const struct cushim__word *rule, const struct cushim__lines *lines);

/* cushim_layer_create(), but over this table. */
CUresult cushim__layer_create(const struct cushim_table *table, struct cushim_layer **layer);

/* Whether a rule makes a symbol missing. May be called by any thread, under any lock. */
bool cushim__fault_hides(unsigned slot);

/* What the fault rules do to an operation. */
struct cushim__operation_fault {
    uint64_t delay_ns;
    bool hangs;
    CUresult code; /* of the sticky error with which it ends, or CUDA_SUCCESS */
    bool is_lost;  /* whether `device` is then lost, or all devices if that is -1 */
    int device;
};

/*
 * Called under the mock's lock when an operation begins; `kind` is the name of its class. NULL if
 * no rule concerns operations.
 */
extern void (*cushim__fault_of_operation)(struct cushim__operation_fault *fault, const char *kind,
                                          int device);

/*
 * Called under the mock's lock when a call of this thread queues an operation that takes time on
 * the device, and when an operation has ended. NULL if there is no listener.
 */
extern void (*cushim__operation_submitted)(uint64_t number);
extern void (*cushim__operation_ended)(uint64_t number, uint64_t began_ns, uint64_t ended_ns);

/* Make functions that name this device return `code` from now on; -1 is any. Takes no lock. */
void cushim__device_lose(CUresult code, int device);

#endif
