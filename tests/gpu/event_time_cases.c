/* SPDX-License-Identifier: Apache-2.0 */
/* Elapsed time. Statements 35-48, 84. */
#include <math.h>
#include <string.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

/* Both functions of the driver answer `want` for these two, and so does the module. */
static void check_elapsed(CUresult want, struct cushim_event *start, struct cushim_event *end)
{
    const struct cushim_table *driver = cushim_driver();
    float ms[3] = {-7, -7, -7};

    CODE(want, cushim_event_elapsed(start, end, &ms[0]));
    CODE(want, driver->EventElapsedTime(&ms[1], start ? raw_event(start) : NULL,
                                        end ? raw_event(end) : NULL));
    CODE(want, driver->EventElapsedTime_v2(&ms[2], start ? raw_event(start) : NULL,
                                           end ? raw_event(end) : NULL));
    for (size_t i = 0; i < 3; i++)
        CHECK((ms[i] == -7) == (want != CUDA_SUCCESS));
    CHECK(ms[0] == ms[1] && ms[0] == ms[2]);
}

static void failures_answer_as_measured(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_context *elsewhere = begin_other_context();
    struct cushim_stream *stream = begin_stream(context), *busy = begin_stream(context);
    struct cushim_stream *other_stream = begin_stream(elsewhere);
    struct cushim_event *good = begin_event(context), *unrecorded = begin_event(context);
    struct cushim_event *untimed = begin_untimed(context), *pending = begin_event(context);
    struct cushim_event *other = begin_event(elsewhere);
    struct gate gate = GATE;

    OK(cushim_event_record(good, stream));
    OK(cushim_event_record(untimed, stream));
    OK(cushim_event_record(other, other_stream));
    OK(cushim_stream_synchronize(stream));
    OK(cushim_stream_synchronize(other_stream));
    gate_shut(&gate, busy);
    OK(cushim_event_record(pending, busy));

    check_elapsed(CUDA_ERROR_INVALID_HANDLE, unrecorded, good); /* 35 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, good, unrecorded); /* 35 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, unrecorded, unrecorded);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, untimed, good);    /* 36 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, good, untimed);    /* 36 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, untimed, pending); /* 36 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, pending, untimed); /* 36 */
    check_elapsed(CUDA_ERROR_NOT_READY, good, pending);         /* 37 */
    check_elapsed(CUDA_ERROR_NOT_READY, pending, good);         /* 37 */
    check_elapsed(CUDA_ERROR_NOT_READY, pending, pending);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, pending, unrecorded); /* 38 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, unrecorded, pending); /* 38 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, NULL, good);          /* 41 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, good, NULL);          /* 41 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, good, other);         /* 43 */
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, other, good);         /* 43 */
    check_elapsed(CUDA_SUCCESS, good, good);
    gate_open(&gate);
    OK(cushim_stream_synchronize(busy));
    check_elapsed(CUDA_SUCCESS, good, pending);

    /* 42: no place for the answer. The module says so in its own way. */
    CODE(CUDA_ERROR_INVALID_HANDLE,
         cushim_driver()->EventElapsedTime(NULL, raw_event(good), raw_event(good)));
    CODE(CUDA_ERROR_INVALID_HANDLE,
         cushim_driver()->EventElapsedTime_v2(NULL, raw_event(good), raw_event(good)));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_elapsed(good, good, NULL));
}

static void interprocess_event_has_no_time(void)
{
    const struct cushim_event_options options = {
        .size = sizeof options,
        .disable_timing = true,
        .interprocess = true,
    };
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *good = begin_event(context), *shared = NULL;

    OK(cushim_event_create(&shared, context, &options));
    OK(cushim_event_record(good, stream));
    OK(cushim_event_record(shared, stream));
    OK(cushim_stream_synchronize(stream));
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, good, shared);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, shared, good);
}

static void work_takes_time_and_reversed_order_is_negative(void)
{
    enum { BYTES = 256 << 20 };
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *start = begin_event(context), *end = begin_event(context);
    CUdeviceptr memory = begin_memory(context, BYTES);
    float forward = 0, backward = 0, same = 5;

    queue_fill(stream, memory, BYTES); /* warm */
    OK(cushim_event_record(start, stream));
    queue_fill(stream, memory, BYTES);
    OK(cushim_event_record(end, stream));
    OK(cushim_event_synchronize(end));
    OK(cushim_event_elapsed(start, end, &forward));
    OK(cushim_event_elapsed(end, start, &backward));
    OK(cushim_event_elapsed(start, start, &same));
    CHECK(forward > 0 && backward == -forward && same == 0);
    detail("256 MiB filled in %.4f ms, reversed %.4f ms, same event %.1f", (double)forward,
           (double)backward, (double)same);
}

static void readings_are_multiples_of_32_ns(void)
{
    enum { ROUNDS = 200 };
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *start = begin_event(context), *end = begin_event(context);
    double least = 1e9, most = 0;
    unsigned odd = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        double ns, rest;
        float ms = -1;

        OK(cushim_event_record(start, stream));
        OK(cushim_event_record(end, stream));
        OK(cushim_event_synchronize(end));
        OK(cushim_event_elapsed(start, end, &ms));
        ns = (double)ms * 1e6;
        CHECK(ns >= 0);
        rest = fabs(ns - 32 * floor(ns / 32 + 0.5));
        odd += rest > 0.5 + ns * 1e-7; /* what a float leaves */
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
    }
    detail("empty pair: %.0f to %.0f ns in %d rounds, %u no multiple of 32", least, most, ROUNDS,
           odd);
    CHECK(odd == 0);
}

static void the_function_is_the_newest_there_is(void)
{
    const char *function;
    bool newest = false;

    OK(begin_driver());
    function = cushim_event_elapsed_function();
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (strcmp(cushim_symbol_name(i), "cuEventElapsedTime_v2") == 0)
            newest = cushim_symbol_state(i) == CUSHIM_SYMBOL_FOUND;
    }
    CHECK(strcmp(function, newest ? "cuEventElapsedTime_v2" : "cuEventElapsedTime") == 0);
    detail("%s", function);
}

const struct gpu_case event_time_cases[] = {
    {"time_35_38_41_43_45_failures_answer_as_measured", failures_answer_as_measured},
    {"time_44_interprocess_event_has_none", interprocess_event_has_no_time},
    {"time_39_40_reversed_order_is_negative", work_takes_time_and_reversed_order_is_negative},
    {"time_46_84_readings_are_multiples_of_32_ns", readings_are_multiples_of_32_ns},
    {"time_47_48_the_newest_function_is_used", the_function_is_the_newest_there_is},
    {NULL, NULL},
};
