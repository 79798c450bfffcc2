/* SPDX-License-Identifier: Apache-2.0 */
/* The subscriber that traces: it chooses the calls to record, and writes their records. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/trace/write/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/trace.h>

#include "src/base/mapped_file.h"
#include "src/base/name.h"
#include "src/base/options.h"
#include "src/base/system.h"
#include "src/driver_api/function_name.h"
#include "src/layer/layer.h"
#include "src/trace/roles.h"

enum { TEXT_WORDS = 8 };

/* What is done with the calls of a function. */
static struct plan {
    uint16_t roles;  /* trace_roles_of() */
    uint8_t text;    /* number of the first text parameter, from 1; 0 if there is none */
    bool is_chosen;  /* calls are recorded */
    bool is_written; /* the driver writes something that is recorded */
} plans[CUSHIM__SYMBOL_COUNT];

static struct trace_options options;
static char *path, *driver;      /* owned, for the options */
static struct cushim__lock lock; /* held to create the file and to end the trace */

static struct trace_header *header; /* NULL before the first call and after the end of the trace */
static bool is_on, is_refused;
static uint64_t from_ns, until_ns; /* calls that begin between these are recorded */

uint64_t cushim__trace_now(void)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);

    return mock ? mock->now_ns() : cushim__system_clock_ns();
}

/* --- records of calls --- */

static uint64_t *words_of(struct trace_record *record)
{
    return (uint64_t *)(record + 1);
}

/* The record already has zeros after the text. */
static void copy_text(char *to, const char *from)
{
    for (size_t i = 0; i + 1 < TEXT_WORDS * sizeof(uint64_t) && from[i]; i++)
        to[i] = from[i];
}

/* Fill the record of a call that begins now, but do not publish it. */
static struct trace_record *fill_record(const struct cushim__call *call)
{
    const unsigned count = cushim__parameter_count(call->slot);
    const unsigned text = plans[call->slot].text;
    const char *from = text ? (const char *)(uintptr_t)call->values[text - 1] : NULL;
    struct trace_record *record = cushim__trace_reserve(count + (from ? TEXT_WORDS : 0));

    if (!record)
        return NULL;
    record->kind = TRACE_CALL;
    record->slot = (uint16_t)call->slot;
    memcpy(words_of(record), call->values, count * sizeof *call->values);
    if (from)
        copy_text((char *)(words_of(record) + count), from);
    record->began_ns = cushim__trace_now();
    return record;
}

/* Add 1 to a field of the header. Another thread may end the trace meanwhile. */
static void count_lost(size_t field)
{
    struct trace_header *now = __atomic_load_n(&header, __ATOMIC_ACQUIRE);

    if (now)
        __atomic_add_fetch((uint64_t *)((char *)now + field), 1, __ATOMIC_RELAXED);
}

static struct trace_record *begin_record(const struct cushim__call *call)
{
    struct trace_record *record = fill_record(call);

    if (record)
        cushim__trace_publish(record);
    else
        count_lost(offsetof(struct trace_header, lost_calls));
    return record;
}

/* Replace pointers in the record by what the driver has written to them. */
static void read_written(const struct cushim__call *call, struct trace_record *record)
{
    const unsigned count = cushim__parameter_count(call->slot);

    for (unsigned i = 0; plans[call->slot].is_written && i < count; i++) {
        const struct cushim__decoder decoder = cushim__decoder_of(call->slot, i);

        if (decoder.form != CUSHIM__WRITTEN_TEXT &&
            cushim__written_read(decoder, call->values[i], &words_of(record)[i]))
            record->flags |= TRACE_ARGUMENT_WRITTEN(i);
    }
}

static void end_record(const struct cushim__call *call, CUresult answer)
{
    struct trace_record *record = call->traced.record;
    const uint64_t ended_ns = cushim__trace_now();

    record->code = (int32_t)answer;
    if (answer == CUDA_SUCCESS)
        read_written(call, record);
    if (call->is_injected)
        record->flags |= TRACE_INJECTED;
    __atomic_store_n(&record->ended_ns, ended_ns, __ATOMIC_RELEASE);
}

/* --- records of work --- */

static void begin_work(struct cushim__call *call, const struct trace_work *work)
{
    struct trace_record *record;

    if (work->kind == TRACE_KERNEL)
        cushim__trace_name_kernel(work->object);
    record = cushim__trace_reserve(sizeof *work / sizeof(uint64_t));
    if (!record)
        return;
    record->kind = TRACE_WORK;
    record->slot = (uint16_t)call->slot;
    memcpy(words_of(record), work, sizeof *work);
    cushim__trace_publish(record);
    call->traced.work = record;
}

/* --- the subscriber --- */

/* Measure the mean time that recording a call takes on this machine; 0 on the mock's clock. */
static uint64_t measure_cost(void)
{
    enum { TIMES = 1000 };
    const uint64_t values[CUSHIM_RECORDED_ARGUMENTS] = {0};
    struct cushim__call call = {.slot = CUSHIM__SLOT(StreamSynchronize), .values = values};
    uint64_t began_ns;

    if (cushim__layer_mock)
        return 0;
    began_ns = cushim__trace_now();
    for (unsigned i = 0; i < TIMES; i++) {
        call.traced.record = fill_record(&call);
        if (call.traced.record)
            end_record(&call, CUDA_SUCCESS);
    }
    began_ns = cushim__trace_now() - began_ns;
    /* The record was never published; reserve it again as zeros. */
    if (call.traced.record)
        memset(call.traced.record, 0, sizeof *call.traced.record + sizeof *values);
    return began_ns / TIMES;
}

/* Returns an errno value if the file cannot be created; 0 if it exists or has failed before. */
static int make_file(void)
{
    int error = 0;

    cushim__lock_take(&lock);
    if (is_on && !header && !is_refused) {
        struct trace_header *made = cushim__trace_file_create(&options);

        is_refused = !made;
        error = made ? 0 : errno;
        if (!made && options.complain)
            options.complain(strerror(error));
        if (made) {
            made->flags = (cushim__layer_mock ? TRACE_VIRTUAL_CLOCK : 0u) |
                          (options.times_device ? TRACE_DEVICE_TIMES : 0u);
            from_ns = options.waits_for_profiler ? UINT64_MAX : made->began_ns + options.delay_ns;
            until_ns = options.duration_ns ? made->began_ns + options.delay_ns + options.duration_ns
                                           : UINT64_MAX;
            made->call_cost_ns = measure_cost();
            __atomic_store_n(&header, made, __ATOMIC_RELEASE);
        }
    }
    cushim__lock_release(&lock);
    return error;
}

/* The first call of the process creates the file. */
bool cushim__trace_has_file(void)
{
    if (!__atomic_load_n(&header, __ATOMIC_ACQUIRE))
        make_file();
    return __atomic_load_n(&header, __ATOMIC_ACQUIRE);
}

static void note_profiler(unsigned slot)
{
    if (!options.waits_for_profiler)
        return;
    if (slot == CUSHIM__SLOT(ProfilerStart))
        __atomic_store_n(&from_ns, 0, __ATOMIC_RELAXED);
    else if (slot == CUSHIM__SLOT(ProfilerStop))
        __atomic_store_n(&from_ns, UINT64_MAX, __ATOMIC_RELAXED);
}

bool cushim__trace_is_recording(void)
{
    uint64_t from, now_ns;

    if (!cushim__trace_has_file())
        return false;
    from = __atomic_load_n(&from_ns, __ATOMIC_RELAXED);
    if (from == UINT64_MAX)
        return false;
    if (options.delay_ns == 0 && options.duration_ns == 0)
        return true;
    now_ns = cushim__trace_now();
    return now_ns >= from && now_ns < until_ns;
}

static bool before(struct cushim__call *call, CUresult *answer)
{
    struct cushim__traced *traced = &call->traced;
    struct trace_work work;
    bool is_work;

    (void)answer;
    if (!cushim__trace_has_file())
        return true;
    if (options.times_device)
        cushim__trace_time_before(call, plans[call->slot].roles);
    if (!plans[call->slot].is_chosen || !cushim__trace_is_recording())
        return true;
    is_work = cushim__trace_is_work(call->slot);
    if (is_work) {
        memset(&work, 0, sizeof work);
        cushim__trace_work_describe(call, &work);
        if (options.times_device)
            cushim__trace_time_start(traced, &work);
    }
    traced->record = begin_record(call);
    if (is_work && traced->record)
        begin_work(call, &work);
    if (is_work && !traced->work)
        count_lost(offsetof(struct trace_header, lost_work));
    if (options.times_device)
        cushim__trace_time_queue(traced->work);
    return true;
}

static CUresult after(struct cushim__call *call, CUresult answer)
{
    if (!__atomic_load_n(&header, __ATOMIC_ACQUIRE))
        return answer;
    if (call->traced.record) {
        end_record(call, answer);
        if (answer == CUDA_SUCCESS)
            cushim__trace_name_found(call);
    }
    if (options.times_device)
        cushim__trace_time_end(call, plans[call->slot].roles, answer);
    if (plans[call->slot].roles & TRACE_UNLOADS)
        cushim__trace_names_forget();
    note_profiler(call->slot);
    return answer;
}

/* If `is_alone`, no call is in progress, as the public functions that end a trace require. */
static void end(bool is_alone)
{
    struct trace_header *ended;
    bool was_on;

    cushim__lock_take(&lock);
    was_on = is_on;
    ended = header;
    is_on = false;
    cushim__lock_release(&lock);
    if (!was_on)
        return;
    cushim__trace_times_finish(ended, is_alone);
    if (ended) {
        ended->unknown_functions = cushim__unknown_functions;
        cushim__trace_file_close(is_alone);
    }
    __atomic_store_n(&header, NULL, __ATOMIC_RELEASE);
    cushim__subscribe_all(CUSHIM__TRACE, false);
    free(path);
    free(driver);
    path = driver = NULL;
}

static void destroy(void)
{
    end(true);
}

/* The file is the parent's; the first call of the child creates another one. */
static void begin_child(void)
{
    if (!is_on)
        return;
    cushim__trace_file_unmap();
    cushim__trace_times_forget();
    lock = (struct cushim__lock){0}; /* a thread of the parent may hold it */
    header = NULL;
    is_refused = false;
    cushim__trace_names_forget();
}

static const struct cushim__subscriber subscriber = {
    .before = before,
    .after = after,
    .found_unknown = cushim__trace_name_unknown,
    .begin_child = begin_child,
    .destroy = destroy,
};

void cushim__trace_end(void)
{
    end(false);
}

/* --- start --- */

static void plan_slot(unsigned slot)
{
    struct plan *plan = &plans[slot];

    *plan = (struct plan){.roles = trace_roles_of(slot),
                          .is_chosen = cushim__trace_calls_have(options.calls, slot)};
    for (unsigned i = 0; i < cushim__parameter_count(slot); i++) {
        const uint8_t form = cushim__decoder_of(slot, i).form;

        if (form == CUSHIM__READ_TEXT && !plan->text)
            plan->text = (uint8_t)(i + 1);
        plan->is_written = plan->is_written || form >= CUSHIM__WRITTEN_HANDLE;
    }
}

/* Subscribe to the calls that are recorded, and to those that change how others are recorded. */
static void subscribe(void)
{
    const unsigned needed =
        options.times_device && !cushim__layer_mock ? TRACE_CHANGES_TIMING : TRACE_UNLOADS;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        plan_slot(slot);
        if (plans[slot].is_chosen || plans[slot].roles & needed ||
            slot == CUSHIM__SLOT(ProfilerStart) || slot == CUSHIM__SLOT(ProfilerStop))
            cushim__subscribe(CUSHIM__TRACE, slot, true);
    }
}

CUresult cushim__trace_begin(const struct trace_options *wanted)
{
    const char *name = wanted->driver ? wanted->driver : "";
    char pattern[TRACE_PATTERN_BYTES];

    if (is_on)
        return CUDA_ERROR_ALREADY_ACQUIRED;
    if (wanted->calls && !cushim__trace_calls_check(wanted->calls, pattern))
        return CUDA_ERROR_INVALID_VALUE;
    /* The program may change the working directory before it forks. */
    path = cushim__file_absolute(wanted->path);
    driver = cushim__name_copy(name, strlen(name));
    if (!path || !driver || (wanted->times_device && !cushim__trace_times_begin())) {
        free(path);
        free(driver);
        path = driver = NULL;
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    options = *wanted;
    options.path = path;
    options.driver = driver;
    cushim__decoders_prepare();
    cushim__trace_works_prepare();
    is_refused = false;
    is_on = true;
    cushim__subscriber_set(CUSHIM__TRACE, &subscriber);
    subscribe();
    return CUDA_SUCCESS;
}

CUresult cushim_trace_start(struct cushim_layer *layer, const struct cushim_trace_options *given)
{
    struct cushim_trace_options known = {.size = sizeof known};
    struct trace_options wanted = {0};
    CUresult code;
    int error;

    if (!cushim__layer_exists(layer) || !given ||
        !cushim__options_read(&known, sizeof known, given) || !known.path)
        return CUDA_ERROR_INVALID_VALUE;
    wanted.path = known.path;
    wanted.calls = known.calls;
    wanted.buffer_bytes = known.buffer_bytes ? known.buffer_bytes : TRACE_BUFFER_BYTES;
    wanted.times_device = !known.omit_device_times;
    code = cushim__trace_begin(&wanted);
    if (code != CUDA_SUCCESS)
        return code;
    /* Create the file now, so that the caller learns why it cannot be created. */
    error = make_file();
    if (error == 0)
        return CUDA_SUCCESS;
    end(true);
    return error == ENOENT || error == ENOTDIR ? CUDA_ERROR_FILE_NOT_FOUND
           : error == ENOMEM                   ? CUDA_ERROR_OUT_OF_MEMORY
                                               : CUDA_ERROR_OPERATING_SYSTEM;
}

void cushim_trace_stop(struct cushim_layer *layer)
{
    if (cushim__layer_exists(layer))
        end(true);
}
