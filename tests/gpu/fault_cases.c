/* SPDX-License-Identifier: Apache-2.0 */
/* Work that fails: what every later call answers, and what is told. Statements 34, 47, 57, 58. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

/* Two kernels that do not come to their end. */
static const char kernels[] = ".version 6.0\n"
                              ".target sm_50\n"
                              ".address_size 64\n"
                              ".visible .entry cushim_fault()\n"
                              "{\n"
                              "    .reg .u64 %address;\n"
                              "    .reg .u32 %value;\n"
                              "    mov.u64 %address, 16;\n"
                              "    mov.u32 %value, 1;\n"
                              "    st.global.u32 [%address], %value;\n"
                              "    ret;\n"
                              "}\n"
                              ".visible .entry cushim_trap()\n"
                              "{\n"
                              "    trap;\n"
                              "    ret;\n"
                              "}\n";

static CUfunction find_kernel(struct cushim_context *context, const char *name)
{
    struct cushim_context_scope scope;
    CUfunction function = NULL;
    CUmodule module = NULL;

    OK(cushim_context_push(context, &scope));
    OK(cushim_driver()->ModuleLoadData(&module, kernels));
    OK(cushim_driver()->ModuleGetFunction(&function, module, name));
    OK(cushim_context_pop(&scope));
    return function;
}

static void queue_kernel(struct cushim_stream *stream, CUfunction kernel)
{
    struct cushim_context_scope scope;

    OK(cushim_context_push(cushim_stream_context(stream), &scope));
    OK(cushim_driver()->LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, raw_stream(stream), NULL, NULL));
    OK(cushim_context_pop(&scope));
}

/* What the log was told. */
static char logged[200];

static void remember(void *data, const char *message)
{
    (void)data;
    snprintf(logged, sizeof logged, "%s", message);
}

static void every_call_answers_the_code(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *start = begin_event(context), *end = begin_event(context), *made = NULL;
    CUfunction kernel = find_kernel(context, "cushim_fault");
    const CUresult code = CUDA_ERROR_ILLEGAL_ADDRESS;
    struct gate gate = GATE;
    CUcontext current = NULL;
    const char *text;
    int count = 0;
    float ms = -7;

    cushim_log_set(remember, NULL);
    OK(cushim_event_record(start, stream));
    gate_shut(&gate, stream);
    queue_kernel(stream, kernel);
    OK(cushim_event_record(end, stream));
    gate_open(&gate);
    CODE(code, cushim_event_synchronize(end));
    CHECK(cushim_error_sticky(code) == CUSHIM_STICKY_CONTEXT);

    CODE(code, cushim_event_query(start));
    CODE(code, cushim_event_query(end));
    CODE(code, cushim_event_wait_for(end, 1000000));
    CODE(code, cushim_event_record(end, stream));
    CODE(code, cushim_event_elapsed(start, end, &ms));
    CODE(code, cushim_driver()->EventElapsedTime(&ms, raw_event(start), raw_event(end)));
    CHECK(ms == -7);
    CODE(code, cushim_stream_query(stream));
    CODE(code, cushim_stream_synchronize(stream));
    CODE(code, cushim_context_synchronize(context));
    CODE(code, cushim_event_create(&made, context, NULL));
    CHECK(made == NULL);
    OK(cushim_driver()->CtxGetCurrent(&current));
    CHECK(current == NULL);
    OK(cushim_device_count(&count));

    text = cushim_event_explain(start, end, code);
    CHECK(strncmp(text, "Neither event is to blame", 25) == 0);
    CODE(code, cushim_event_release(start));
    CHECK(strstr(logged, "cuEventDestroy") != NULL);
    detail("logged: %s", logged);
    CODE(code, cushim_event_release(end));
    CODE(code, cushim_stream_release(stream));
    OK(cushim_context_release(context));
}

static void trap_has_a_code_of_its_own(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    CUfunction kernel = find_kernel(context, "cushim_trap");
    struct gate gate = GATE;
    CUresult code;

    gate_shut(&gate, stream);
    queue_kernel(stream, kernel);
    OK(cushim_event_record(event, stream));
    gate_open(&gate);
    code = cushim_event_synchronize(event);
    CHECK(cushim_error_sticky(code) == CUSHIM_STICKY_CONTEXT);
    CODE(code, cushim_event_query(event));
    CHECK(strncmp(cushim_event_explain(event, event, code), "Neither event is to blame", 25) == 0);
    detail("%d %s", (int)code, cushim_error_name(code));
}

static void reach_of_a_fault(void)
{
    struct cushim_context *context = begin_context(), *other = begin_other_context();
    struct cushim_stream *stream = begin_stream(context), *far = begin_stream(other);
    struct cushim_event *event = begin_event(other);

    queue_kernel(stream, find_kernel(context, "cushim_fault"));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cushim_stream_synchronize(stream));
    detail("another context of the process: record %d, synchronize %d, context %d",
           (int)cushim_event_record(event, far), (int)cushim_event_synchronize(event),
           (int)cushim_context_synchronize(other));
}

struct told {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned functions, callbacks;
    CUresult status;
};

static void CUDA_CB count_function(void *data)
{
    struct told *told = data;

    pthread_mutex_lock(&told->lock);
    told->functions++;
    pthread_mutex_unlock(&told->lock);
}

static void CUDA_CB count_callback(CUstream stream, CUresult status, void *data)
{
    struct told *told = data;

    (void)stream;
    pthread_mutex_lock(&told->lock);
    told->callbacks++;
    told->status = status;
    pthread_cond_signal(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

static void callbacks_are_told_and_functions_are_not_called(void)
{
    enum { PATIENCE_SECONDS = 20 };
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    CUfunction kernel = find_kernel(context, "cushim_fault");
    struct told told = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, CUDA_SUCCESS};
    struct gate gate = GATE;
    struct timespec until;

    gate_shut(&gate, stream);
    queue_kernel(stream, kernel);
    OK(cushim_stream_launch_host_function(stream, count_function, &told));
    OK(cushim_stream_add_callback(stream, count_callback, &told));
    gate_open(&gate);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cushim_stream_synchronize(stream));
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
    pthread_mutex_lock(&told.lock);
    while (told.callbacks == 0 && pthread_cond_timedwait(&told.changed, &told.lock, &until) == 0)
        continue;
    detail("function called %u times, callback %u times with status %d", told.functions,
           told.callbacks, (int)told.status);
    CHECK(told.functions == 0);
    CHECK(told.callbacks == 1 && told.status == CUDA_ERROR_ILLEGAL_ADDRESS);
    pthread_mutex_unlock(&told.lock);
}

const struct gpu_case fault_cases[] = {
    {"fault_34_47_every_call_answers_the_code", every_call_answers_the_code},
    {"fault_trap_has_a_code_of_its_own", trap_has_a_code_of_its_own},
    {"fault_reach", reach_of_a_fault},
    {"fault_57_58_callbacks_are_told", callbacks_are_told_and_functions_are_not_called},
    {NULL, NULL},
};
