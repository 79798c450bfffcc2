/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cushim check` finds misuse of the driver API over any driver. It subscribes to the layer and
 * hands each call to its modules. A module knows one subject and reports findings under the ids of
 * src/check/rules/rules.h. finding.c keeps each finding once for each place in the program, with a
 * count.
 *
 * To add a rule, add a row to rules/rules.tsv, a case to tests/check, and code to the module of
 * its subject. check.c calls the functions of a new module.
 */
#ifndef CUSHIM_CHECK_CHECK_H
#define CUSHIM_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "src/check/options.h"
#include "src/check/rules/rules.h"
#include "src/driver_api/structs.h"
#include "src/layer/layer.h"

/* --- the modules --- */

/* When check begins. Returns false if memory runs out; destroy() then frees what there is. */
bool cushim__check_order_begin(void);
void cushim__check_handles_begin(void);

/*
 * When a call begins, under the layer's lock. Its arguments have been decoded, so the objects that
 * they name are in the handle table. The driver must not be called here.
 */
void cushim__check_handles_started(struct cushim__call *call);
void cushim__check_memory_started(struct cushim__call *call);
void cushim__check_copies_started(struct cushim__call *call);
void cushim__check_order_started(struct cushim__call *call);
void cushim__check_promise_started(struct cushim__call *call);

/* Before the driver is called, without the lock. cushim__layer_next may ask it something. */
void cushim__check_memory_before(struct cushim__call *call);
void cushim__check_copies_before(struct cushim__call *call);

/* When the driver has answered, without the lock. cushim__layer_next may ask it more. */
void cushim__check_handles_after(const struct cushim__call *call, CUresult answer);
void cushim__check_contexts_after(const struct cushim__call *call, CUresult answer);
void cushim__check_graph_memory_after(const struct cushim__call *call, CUresult answer);

/*
 * When a call has ended, under the lock. Its results have been decoded, and the handle table knows
 * what the call has created and destroyed.
 */
void cushim__check_handles_ended(struct cushim__call *call, CUresult answer);
void cushim__check_contexts_ended(struct cushim__call *call, CUresult answer);
void cushim__check_memory_ended(struct cushim__call *call, CUresult answer);
void cushim__check_graph_memory_ended(const struct cushim__call *call, CUresult answer);
void cushim__check_copies_ended(struct cushim__call *call, CUresult answer);
void cushim__check_order_ended(struct cushim__call *call, CUresult answer);
void cushim__check_errors_ended(struct cushim__call *call, CUresult answer);
void cushim__check_capture_ended(struct cushim__call *call, CUresult answer);
void cushim__check_promise_ended(struct cushim__call *call, CUresult answer);

/* Take what the mock has handed over; `call` has ended, or is NULL. Under the lock. */
void cushim__check_mock_ended(const struct cushim__call *call);

/* Report, at the end of the program and under the lock, what is unfinished or leaked. */
void cushim__check_contexts_finish(void);
void cushim__check_errors_finish(void);
void cushim__check_capture_finish(void);
void cushim__check_handles_finish(void);

/* When check ends, and in the child of a fork, in which check begins again. Under the lock. */
void cushim__check_contexts_destroy(void);
void cushim__check_copies_destroy(void);
void cushim__check_graph_memory_destroy(void);
void cushim__check_order_destroy(void);
void cushim__check_errors_destroy(void);
void cushim__check_capture_destroy(void);
void cushim__check_promise_destroy(void);
void cushim__check_mock_destroy(void);

/* --- what they use --- */

/* The options of the current check. */
extern struct cushim__check_options cushim__check_options;

/* In the child of a fork, the number of the last call before the fork; otherwise 0. */
extern uint64_t cushim__check_forked_at;

/*
 * In started(): report a call that passes an object from before the fork. Returns whether the
 * object is one.
 */
bool cushim__check_before_fork(const struct cushim__call *call, const struct cushim__handle *object,
                               uint64_t value);

/*
 * Report misuse, under the layer's lock. `call` is the misuse; at the end of the program it is
 * NULL, and the finding's place is where `object` was created. `object` is what the finding is
 * about, or NULL. `earlier` is another call that may be the mistake, such as the other one of a
 * race, or NULL. The text is a sentence without its full stop.
 */
__attribute__((format(__printf__, 5, 6))) void
cushim__check_report(const struct cushim__call *call, enum cushim__check_id id,
                     const struct cushim__handle *object, const struct cushim__maker *earlier,
                     const char *format, ...);

/*
 * In started() or before(), for a call on which the driver is known to crash: unless the options
 * let it through, the call returns CUDA_ERROR_INVALID_HANDLE and does not reach the driver. Returns
 * the words for this at the end of a finding, "" if it is let through.
 */
const char *cushim__check_refuse(struct cushim__call *call);

/* The name of an object in a text: `event#1`, or `memory#2+256` for an address within it. */
struct cushim__check_name {
    char text[CUSHIM_RECORDING_TAG_SIZE];
};
struct cushim__check_name cushim__check_name(const struct cushim__handle *object, uint64_t value);
struct cushim__check_name cushim__check_name_of(enum cushim__object_type type, uint32_t number,
                                                uint64_t value);

/* `id`, unless the object ended with its context, which has an id of its own. */
enum cushim__check_id cushim__check_of_ended(const struct cushim__handle *object,
                                             enum cushim__check_id id);

/* The object that a call passes for a parameter; NULL if none is known. */
struct cushim__handle *cushim__check_object(const struct cushim__call *call, unsigned parameter);

/* Whether findings of an id are reported, by the options. */
bool cushim__check_wants(enum cushim__check_id id);

/* Whether it is about a wrong handle; the rows of rules.tsv begin with those. */
bool cushim__check_is_about_handles(enum cushim__check_id id);

/* Whether this thread has found a wrong handle in a call, which is the reason for its result. */
bool cushim__check_has_wrong_handle(const struct cushim__call *call);

/* The slot of an exported name, which is compared by its address; any if it is none. */
unsigned cushim__check_slot_of(const char *name);

/* The struct by which a call adds a node to a graph; NULL if it adds none by such a struct. */
const struct cushim__graph_node *cushim__check_graph_node(const struct cushim__call *call);

/* mock.c: a mock hands over what only it knows, whether or not anything is checked. */
cushim__mock_report cushim__check_report_of_mock;

/*
 * Begin to check the calls that go through the layer. On success it takes over the suppressions of
 * the options and keeps a pointer to the name of the report. ALREADY_ACQUIRED: a check is under
 * way. One that is only implied ends.
 */
CUresult cushim__check_begin(struct cushim__check_options *options);

bool cushim__check_is_on(void);

/*
 * Leaks of a part of the program, such as a test, whatever the options say: what was created before
 * the part begins is not its to release. The end adds what has leaked to the findings. Both are
 * under the layer's lock.
 */
enum { CUSHIM__CHECK_DEVICES = 64 };
struct cushim__check_part {
    uint64_t calls;                           /* before it began */
    uint64_t retained[CUSHIM__CHECK_DEVICES]; /* uses of each primary context then */
};
void cushim__check_part_begin(struct cushim__check_part *part);
void cushim__check_part_end(const struct cushim__check_part *part);

/* At the end of the program, while no call is under way: report everything. */
void cushim__check_finish(void);

/*
 * Finish, and print each failure on several lines for people, or on one. Prints nothing if there is
 * none or check is not on.
 */
void cushim__check_verdict(struct cushim__text *text, bool has_lines);

/* End the check and forget its findings. */
void cushim__check_end(void);

#endif
