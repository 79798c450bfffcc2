/* SPDX-License-Identifier: Apache-2.0 */
/* The subscriber, which passes each call to the modules in order; and the check of a test. */
#include "src/check/check.h"

#include <stdarg.h>
#include <string.h>

#include <cushim/testing/check.h>

#include "src/base/options.h"
#include "src/check/finding.h"
#include "src/check/order.h"
#include "src/layer/expectation.h"

struct cushim__check_options cushim__check_options;
uint64_t cushim__check_forked_at;

static bool is_on, is_finished;

/*
 * The modules use check's own race detector. While the driver may be called, the mock's is current,
 * because the driver may be the mock.
 */
static void started(struct cushim__call *call)
{
    cushim__race_user = RACE_OF_CHECK;
    cushim__check_handles_started(call);
    cushim__check_memory_started(call);
    cushim__check_copies_started(call);
    cushim__check_order_started(call);
    cushim__check_promise_started(call);
    cushim__race_user = RACE_OF_MOCK;
}

/* Findings are printed before the driver can crash on the call. */
static bool before(struct cushim__call *call, CUresult *answer)
{
    if (!call->is_refused)
        cushim__check_memory_before(call);
    if (!call->is_refused)
        cushim__check_copies_before(call);
    cushim__findings_print();
    if (call->is_refused)
        *answer = CUDA_ERROR_INVALID_HANDLE;
    return !call->is_refused;
}

static CUresult after(struct cushim__call *call, CUresult answer)
{
    cushim__check_handles_after(call, answer);
    cushim__check_contexts_after(call, answer);
    cushim__check_graph_memory_after(call, answer);
    return answer;
}

static void ended(struct cushim__call *call, CUresult answer)
{
    cushim__race_user = RACE_OF_CHECK;
    cushim__check_handles_ended(call, answer);
    cushim__check_contexts_ended(call, answer);
    cushim__check_memory_ended(call, answer);
    cushim__check_graph_memory_ended(call, answer);
    cushim__check_copies_ended(call, answer);
    cushim__check_order_ended(call, answer);
    cushim__check_errors_ended(call, answer);
    cushim__check_capture_ended(call, answer);
    cushim__check_promise_ended(call, answer);
    cushim__check_mock_ended(call);
    cushim__race_user = RACE_OF_MOCK;
}

static void forget(struct cushim__handle *object)
{
    const enum race_user user = cushim__race_user;

    cushim__race_user = RACE_OF_CHECK;
    cushim__order_forget(object);
    cushim__race_user = user;
}

static void destroy_modules(void)
{
    cushim__race_user = RACE_OF_CHECK;
    cushim__check_contexts_destroy();
    cushim__check_copies_destroy();
    cushim__check_graph_memory_destroy();
    cushim__check_order_destroy();
    cushim__check_errors_destroy();
    cushim__check_capture_destroy();
    cushim__check_promise_destroy();
    cushim__check_mock_destroy();
    cushim__race_user = RACE_OF_MOCK;
    cushim__findings_clear();
}

/* What was created, pushed and captured before the fork is the parent's to end. */
static void begin_child(void)
{
    destroy_modules();
    cushim__check_forked_at = cushim_layer_current()->calls;
}

static const struct cushim__subscriber subscriber = {
    .started = started,
    .before = before,
    .after = after,
    .ended = ended,
    .left = cushim__findings_print,
    .begin_child = begin_child,
    .destroy = cushim__check_end,
};

void cushim__check_report(const struct cushim__call *call, enum cushim__check_id id,
                          const struct cushim__handle *object, const struct cushim__maker *earlier,
                          const char *format, ...)
{
    va_list list;

    if (!cushim__check_wants(id) ||
        (cushim__check_options.is_implied && cushim__errors_are_expected() &&
         !cushim__check_is_about_handles(id)))
        return;
    va_start(list, format);
    cushim__finding_add(call, id, object, earlier, format, list);
    va_end(list);
}

bool cushim__check_before_fork(const struct cushim__call *call, const struct cushim__handle *object,
                               uint64_t value)
{
    if (object->maker.place.call == 0 || object->maker.place.call > cushim__check_forked_at)
        return false;
    cushim__check_report(call, CUSHIM__CHECK_HANDLE_BEFORE_FORK, object, NULL,
                         "%s is given %s, which was made before the fork",
                         cushim__slot_name(call->slot), cushim__check_name(object, value).text);
    return true;
}

const char *cushim__check_refuse(struct cushim__call *call)
{
    if (cushim__check_options.lets_through)
        return "";
    call->is_refused = true;
    return "; it returns CUDA_ERROR_INVALID_HANDLE, and the driver is not called";
}

struct cushim__check_name cushim__check_name(const struct cushim__handle *object, uint64_t value)
{
    struct cushim__tag tag = cushim__handle_tag(object);
    struct cushim__check_name name;

    tag.is_destroyed = false;
    if (object->type == CUSHIM__TYPE_MEMORY || object->type == CUSHIM__TYPE_GLOBAL)
        tag.offset = value - object->value;
    cushim__tag_text(&tag, object->value, name.text, sizeof name.text);
    return name;
}

struct cushim__check_name cushim__check_name_of(enum cushim__object_type type, uint32_t number,
                                                uint64_t value)
{
    const struct cushim__tag tag = {.type = (uint8_t)type, .number = number};
    struct cushim__check_name name;

    cushim__tag_text(&tag, value, name.text, sizeof name.text);
    return name;
}

enum cushim__check_id cushim__check_of_ended(const struct cushim__handle *object,
                                             enum cushim__check_id id)
{
    return object->ended_with == CUSHIM__TYPE_CONTEXT ? CUSHIM__CHECK_HANDLE_AFTER_CONTEXT : id;
}

struct cushim__handle *cushim__check_object(const struct cushim__call *call, unsigned parameter)
{
    const struct cushim__decoder decoder = cushim__decoder_of(call->slot, parameter);
    const uint64_t value = call->values[parameter];

    switch ((enum cushim__form)decoder.form) {
    case CUSHIM__READ_HANDLE:
        return cushim__handle_find((enum cushim__object_type)decoder.type, value, false);
    case CUSHIM__READ_ADDRESS:
        return cushim__handle_at(value);
    default:
        return NULL;
    }
}

bool cushim__check_wants(enum cushim__check_id id)
{
    return cushim__check_rules[id].level >= cushim__check_options.level;
}

bool cushim__check_is_about_handles(enum cushim__check_id id)
{
    return id <= CUSHIM__CHECK_HANDLE_BEFORE_FORK;
}

bool cushim__check_has_wrong_handle(const struct cushim__call *call)
{
    const struct cushim__finding *finding = cushim__finding_of_call(call->number);

    return finding && cushim__check_is_about_handles(finding->id);
}

unsigned cushim__check_slot_of(const char *name)
{
    unsigned slot = 0;

    while (slot + 1 < CUSHIM__SYMBOL_COUNT && cushim__slot_name(slot) != name)
        slot++;
    return slot;
}

const struct cushim__graph_node *cushim__check_graph_node(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    const uint8_t params = cushim__effects[call->slot].node_params;

    return effect && effect->kind == CUSHIM__EFFECT_RETURNS && params != CUSHIM__NO_PARAMETER
               ? (const struct cushim__graph_node *)(uintptr_t)call->values[params]
               : NULL;
}

bool cushim__check_is_on(void)
{
    return __atomic_load_n(&is_on, __ATOMIC_ACQUIRE);
}

CUresult cushim__check_begin(struct cushim__check_options *options)
{
    struct cushim_layer *layer = cushim_layer_current();
    bool is_begun;

    if (is_on && (options->is_implied || !cushim__check_options.is_implied))
        return CUDA_ERROR_ALREADY_ACQUIRED;
    cushim__check_end();
    cushim__lock_take(&layer->lock);
    cushim__check_options = *options;
    if (cushim__layer_mock) /* it does not crash */
        cushim__check_options.lets_through = true;
    options->suppressions = NULL;
    cushim__check_forked_at = 0;
    cushim__decoding_begin(CUSHIM__CHECK);
    cushim__handles_keep(forget);
    cushim__race_user = RACE_OF_CHECK;
    is_begun = cushim__check_order_begin();
    cushim__check_handles_begin();
    cushim__race_user = RACE_OF_MOCK;
    cushim__findings_clear();
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    is_finished = false;
    cushim__lock_release(&layer->lock);
    if (!is_begun) {
        cushim__check_end();
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    cushim__subscriber_set(CUSHIM__CHECK, &subscriber);
    cushim__subscribe_all(CUSHIM__CHECK, true);
    return CUDA_SUCCESS;
}

void cushim__check_finish(void)
{
    struct cushim_layer *layer = cushim_layer_current();

    if (!is_on || is_finished)
        return;
    is_finished = true;
    cushim__subscribe_all(CUSHIM__CHECK, false);
    /* If a signal handler has called exit() in the middle of a call, the lock stays taken. */
    if (!cushim__lock_comes_free(&layer->lock))
        return;
    cushim__lock_take(&layer->lock);
    cushim__check_contexts_finish();
    cushim__check_errors_finish();
    cushim__check_capture_finish();
    cushim__check_handles_finish();
    cushim__check_mock_ended(NULL);
    cushim__lock_release(&layer->lock);
    cushim__findings_print();
    cushim__findings_finish();
}

void cushim__check_end(void)
{
    if (!is_on)
        return;
    __atomic_store_n(&is_on, false, __ATOMIC_RELEASE);
    cushim__subscribe_all(CUSHIM__CHECK, false);
    destroy_modules();
    cushim__handles_keep(NULL);
    cushim__decoding_stop(CUSHIM__CHECK);
    cushim__check_suppressions_free(&cushim__check_options);
}

/* --- in a test --- */

CUresult cushim_check_start(struct cushim_layer *layer, const struct cushim_check_options *given)
{
    struct cushim_check_options known = {.size = sizeof known};
    struct cushim__check_options options = {.level = CUSHIM__CHECK_WARNING};
    char ignored[1];
    CUresult code;

    if (!cushim__layer_exists(layer) || !cushim__options_read(&known, sizeof known, given))
        return CUDA_ERROR_INVALID_VALUE;
    if (!known.message || known.message_size == 0) {
        known.message = ignored;
        known.message_size = sizeof ignored;
    }
    known.message[0] = '\0';
    code = cushim__check_options_read(&options, known.settings ? known.settings : "", "settings",
                                      known.message, known.message_size);
    if (code == CUDA_SUCCESS && known.suppressions)
        code = cushim__check_suppressions_read(&options, known.suppressions, "suppressions",
                                               known.message, known.message_size);
    if (code == CUDA_SUCCESS)
        code = cushim__check_begin(&options);
    if (code != CUDA_SUCCESS)
        cushim__check_suppressions_free(&options);
    return code;
}

size_t cushim_check_count(struct cushim_layer *layer, const char *id)
{
    const struct cushim__finding *finding = NULL;
    size_t found = 0;

    if (!cushim__layer_exists(layer) || !is_on)
        return 0;
    cushim__lock_take(&layer->lock);
    cushim__check_mock_ended(NULL);
    cushim__lock_release(&layer->lock);
    cushim__findings_print();
    while ((finding = cushim__finding_next(finding)) != NULL)
        found += !id || strcmp(cushim__check_rules[finding->id].id, id) == 0;
    return found;
}

void cushim__check_verdict(struct cushim__text *text, bool has_lines)
{
    const struct cushim__finding *finding = NULL;
    unsigned found[CUSHIM__CHECK_IDS] = {0};

    if (!is_on)
        return;
    cushim__check_finish();
    while ((finding = cushim__finding_next(finding)) != NULL)
        found[finding->id]++;
    while ((finding = cushim__finding_next(finding)) != NULL) {
        if (cushim__check_rules[finding->id].level == CUSHIM__CHECK_ADVICE ||
            cushim__check_is_expected(&cushim__check_options, finding->id, found[finding->id]))
            continue;
        if (!has_lines)
            cushim__text_format(text, "%s: ", cushim__check_rules[finding->id].id);
        cushim__finding_print(text, finding, has_lines);
    }
    cushim__check_print_unexpected(&cushim__check_options, found, text);
}

CUresult cushim_check_stop(struct cushim_layer *layer, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!cushim__layer_exists(layer))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__check_verdict(&text, false);
    cushim__text_mark_cut(&text);
    cushim__check_end();
    return text.length > 0 ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}
