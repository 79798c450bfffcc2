/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuse of the driver API, found over any driver: a subscriber of the layer that judges each call
 * by rule modules. A module knows one subject, and reports what it finds under an id of
 * src/driver_api/check_rules.h. Findings are kept once for each place of the program, with a count
 * (finding.c).
 *
 * To add a rule: add a row to check_rules.tsv and a case to tests/check, and to check.c the functions
 * of a module, unless one fits.
 */
#ifndef CUSHIM_CHECK_CHECK_H
#define CUSHIM_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "src/check/options.h"
#include "src/driver_api/check_rules.h"
#include "src/driver_api/structs.h"
#include "src/layer/layer.h"

/* --- the modules --- */

/* Check begins. The rest is undone by destroy(). False: no memory. */
bool cushim__check_order_begin(void);
void cushim__check_handles_begin(void);

/*
 * Under the layer's lock, as a call begins and after its arguments have been decoded: the objects
 * that they name are in the handle table. No call of the driver.
 */
void cushim__check_handles_started(struct cushim__call *call);
void cushim__check_memory_started(struct cushim__call *call);
void cushim__check_copies_started(struct cushim__call *call);
void cushim__check_order_started(struct cushim__call *call);
void cushim__check_promise_started(struct cushim__call *call);

/* Without the lock, before the driver is called: it may be asked by cushim__layer_next. */
void cushim__check_memory_before(struct cushim__call *call);
void cushim__check_copies_before(struct cushim__call *call);

/* Without it, when the driver has answered: it may be asked what the answer leaves open. */
void cushim__check_handles_after(const struct cushim__call *call, CUresult answer);
void cushim__check_contexts_after(const struct cushim__call *call, CUresult answer);

/*
 * Under it, when it has ended: results have been decoded, and the handle table knows what the call
 * has made and destroyed.
 */
void cushim__check_handles_ended(struct cushim__call *call, CUresult answer);
void cushim__check_contexts_ended(struct cushim__call *call, CUresult answer);
void cushim__check_memory_ended(struct cushim__call *call, CUresult answer);
void cushim__check_copies_ended(struct cushim__call *call, CUresult answer);
void cushim__check_order_ended(struct cushim__call *call, CUresult answer);
void cushim__check_errors_ended(struct cushim__call *call, CUresult answer);
void cushim__check_capture_ended(struct cushim__call *call, CUresult answer);
void cushim__check_promise_ended(struct cushim__call *call, CUresult answer);

/* Under it, at the end of the program: what has leaked is judged. */
void cushim__check_contexts_finish(void);
void cushim__check_errors_finish(void);
void cushim__check_capture_finish(void);
void cushim__check_handles_finish(void);

/* Check ends, or it begins anew in the child of a fork, under the lock. */
void cushim__check_contexts_destroy(void);
void cushim__check_copies_destroy(void);
void cushim__check_order_destroy(void);
void cushim__check_errors_destroy(void);
void cushim__check_capture_destroy(void);
void cushim__check_promise_destroy(void);

/* --- what they use --- */

/* The options of the check that is under way. */
extern struct cushim__check_options cushim__check_options;

/* The number of the last call before the fork that this process comes from; 0: it comes of none. */
extern uint64_t cushim__check_forked_at;

/* Report a call that is given what was made before that fork. False: it was not. In started(). */
bool cushim__check_before_fork(const struct cushim__call *call, const struct cushim__handle *object,
                               uint64_t value);

/*
 * A call is misuse. Under the layer's lock, in started() or ended(); `call` is NULL at the end, and
 * the place is where `object` was made. `object` is what it is about, or NULL; `earlier`, unless
 * NULL, is another call that is not to blame less than this one. The text says what is wrong in
 * this case: a sentence without its full stop.
 */
__attribute__((format(__printf__, 5, 6))) void
cushim__check_report(const struct cushim__call *call, enum cushim__check_id id,
                     const struct cushim__handle *object, const struct cushim__maker *earlier,
                     const char *format, ...);

/*
 * The driver is known to crash on this call: it answers CUDA_ERROR_INVALID_HANDLE instead, unless
 * the options let it through. In started(). Returns how a finding ends that says so; it may be "".
 */
const char *cushim__check_refuse(struct cushim__call *call);

/* How an object is named in a text: `event#1`, `memory#2+256` for an address in it. */
struct cushim__check_name {
    char text[CUSHIM_TAG_SIZE];
};
struct cushim__check_name cushim__check_name(const struct cushim__handle *object, uint64_t value);
struct cushim__check_name cushim__check_name_of(enum cushim__object_type type, uint32_t number,
                                                uint64_t value);

/* The id of what is reported of an object that has ended, unless it did with its context. */
enum cushim__check_id cushim__check_of_ended(const struct cushim__handle *object,
                                             enum cushim__check_id id);

/* The value that is passed for a parameter; and the object that it names, NULL: none is known. */
struct cushim__handle *cushim__check_object(const struct cushim__call *call, unsigned parameter);

/* The struct of a node that a call adds to a graph; NULL: it adds none of that kind. */
const struct cushim__graph_node *cushim__check_graph_node(const struct cushim__call *call);

/*
 * Begin to check what goes through the layer. It takes the suppressions out of the options, unless
 * one is under way; the name of the report has to stay.
 */
CUresult cushim__check_begin(struct cushim__check_options *options);

/* The end of the program: judge what has leaked, and report everything. No call is under way. */
void cushim__check_finish(void);

/* Finish, and print what is a failure, a line each: nothing if nothing is, or if it is not on. */
void cushim__check_verdict(struct cushim__text *text);

/* End it; all findings are forgotten. */
void cushim__check_end(void);

#endif
