/* SPDX-License-Identifier: Apache-2.0 */
/* A test: a mock and a layer that begin and end together, and a verdict at the end. */
#include <stdlib.h>

#include <cushim/driver.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "src/base/options.h"
#include "src/check/check.h"
#include "src/driver_api/result.h"
#include "src/layer/layer.h"
#include "src/layer/leak_tracker.h"
#include "src/mock/core/state.h"
#include "src/testkit/sweep.h"

struct cushim_test {
    struct cushim_mock *mock;   /* NULL on a driver, or if the program has destroyed the mock */
    struct cushim_layer *layer; /* NULL if the program has destroyed it */
    CUcontext former;           /* current before the test */
    CUcontext context;          /* current when the test began */
    bool has_retained;          /* the test holds a reference to `context` */
    struct cushim__check_part part;
};

static void print_pending(struct cushim__text *text, struct cushim_mock *mock)
{
    struct cushim_mock_state state = {.size = sizeof state};

    if (cushim_mock_get_state(mock, &state) != CUDA_SUCCESS)
        return;
    if (state.pending > 0)
        cushim__text_format(text, "%zu operation%s pending: nobody has waited for %s\n",
                            state.pending, state.pending == 1 ? " is" : "s are",
                            state.pending == 1 ? "it" : "them");
}

/* The driver itself is asked, because this is not a call of the program. */
static void print_current(struct cushim__text *text, const struct cushim_test *test)
{
    CUcontext context = NULL;
    char tag[CUSHIM_RECORDING_TAG_SIZE];

    if (cushim_layer_wrapped(test->layer)->CtxGetCurrent(&context) != CUDA_SUCCESS || !context ||
        context == test->context)
        return;
    if (cushim_recording_get_tag(test->layer, context, tag, sizeof tag) != CUDA_SUCCESS)
        cushim__text_add(text, "a context is left current for this thread\n");
    else
        cushim__text_format(text, "%s is left current for this thread\n", tag);
}

static void print_faults(struct cushim__text *text, const struct cushim_test *test)
{
    const char *unused;

    for (size_t i = 0; (unused = cushim_fault_unused(test->layer, i)) != NULL; i++)
        cushim__text_format(text, "%s\n", unused);
}

/* What the program has destroyed of a test can neither be asked nor destroyed again. */
static void look_for_parts(struct cushim__text *text, struct cushim_test *test)
{
    if (test->mock && cushim_mock_current() != test->mock) {
        cushim__text_add(text, "the mock of the test was destroyed before the test's end\n");
        test->mock = NULL;
    }
    if (cushim_layer_current() != test->layer) {
        cushim__text_add(text, "the layer of the test was destroyed before the test's end\n");
        test->layer = NULL;
    }
}

/* A test may begin a check of its own, with other options, in place of this one. */
static CUresult begin_check(struct cushim_test *test)
{
    struct cushim__check_options options = {.level = CUSHIM__CHECK_WARNING, .is_implied = true};
    const CUresult code = cushim__check_begin(&options);

    cushim__lock_take(&test->layer->lock);
    cushim__check_part_begin(&test->part);
    cushim__lock_release(&test->layer->lock);
    return code;
}

void cushim__test_add_leaks(const struct cushim__check_part *part)
{
    struct cushim__check_options options = {.level = CUSHIM__CHECK_WARNING, .is_implied = true};

    if (!cushim__check_is_on() && cushim__check_begin(&options) != CUDA_SUCCESS)
        return;
    cushim__lock_take(&cushim__layer->lock);
    cushim__check_part_end(part);
    cushim__lock_release(&cushim__layer->lock);
}

/* Print what was wrong, if anything was, and forget parts that the program has destroyed. */
static void print_verdict(struct cushim_test *test, struct cushim__text *text)
{
    char verdict[4096];

    look_for_parts(text, test);
    if (!test->layer) {
        print_pending(text, test->mock);
        cushim__text_mark_cut(text);
        return;
    }
    cushim_layer_verify(test->layer, verdict, sizeof verdict);
    cushim__text_add(text, verdict);
    print_pending(text, test->mock);
    cushim__test_add_leaks(&test->part);
    cushim__check_verdict(text, true);
    print_faults(text, test);
    print_current(text, test);
    cushim__text_mark_cut(text);
}

/* The test that runs, or NULL. */
static struct cushim_test *running;

static const char exists[] = "a test, a mock or a layer exists in this process: end it first "
                             "(cushim_test_end), also when a test before this one failed";

/* Say why the test does not begin, unless a part that knows better has. Returns the code. */
static CUresult refuse(const struct cushim_test_options *options, CUresult code, const char *why)
{
    struct cushim__text text;

    if (options->message && options->message_size > 0 && !options->message[0]) {
        cushim__text_begin(&text, options->message, options->message_size);
        cushim__text_add(&text, why);
    }
    return code;
}

static CUresult create_mock(struct cushim_test *test, const struct cushim_test_options *options)
{
    const struct cushim_mock_options mock = {.size = sizeof mock,
                                             .settings = options->settings,
                                             .file = options->file,
                                             .message = options->message,
                                             .message_size = options->message_size};
    CUresult code;

    if (options->on_driver && (options->settings || options->file))
        return refuse(options, CUDA_ERROR_INVALID_VALUE,
                      "on_driver: settings and file are a mock's, and there is none then; leave "
                      "them or .on_driver out");
    if (options->on_driver)
        return CUDA_SUCCESS;
    code = cushim_mock_create(&mock, &test->mock);
    if (code == CUDA_ERROR_ALREADY_ACQUIRED)
        refuse(options, code, exists);
    return code == CUDA_SUCCESS ? cushim_mock_install(test->mock) : code;
}

static CUresult install(struct cushim_layer *layer)
{
    cushim__lock_take(&layer->lock);
    cushim__decoding_begin(CUSHIM__TRACKER);
    cushim__lock_release(&layer->lock);
    cushim__subscribe_all(CUSHIM__TRACKER, true);
    return cushim_layer_install(layer);
}

/* A mock whose settings have faults has created a layer. */
static CUresult create_layer(struct cushim_test *test, const struct cushim_test_options *options)
{
    CUresult code;

    test->layer = test->mock ? test->mock->layer : NULL;
    if (test->layer)
        return CUDA_SUCCESS;
    code = cushim_layer_create(NULL, &test->layer);
    return code == CUDA_ERROR_ALREADY_ACQUIRED ? refuse(options, code, exists) : code;
}

/* What to do if no context can be made. */
static const char *advice(CUresult code)
{
    switch (code) {
    case CUDA_ERROR_NO_DEVICE:
        return ": there is no device to make a context on; let the mock have one (devices = 1), or "
               "leave .context out";
    case CUDA_ERROR_STUB_LIBRARY:
        return ": what is loaded is a stub, no driver; let a driver be found before it, or leave "
               ".context out";
    default:
        return "; make cuInit succeed first, or do not set .context";
    }
}

static CUresult refuse_context(const struct cushim_test_options *options, CUresult code,
                               const char *call)
{
    char why[256];
    struct cushim__text text;

    cushim__text_begin(&text, why, sizeof why);
    cushim__text_format(&text, "context: %s answers ", call);
    cushim__result_add(&text, code);
    cushim__text_add(&text, advice(code));
    return refuse(options, code, why);
}

/* Make the context through the layer, so that the tracker follows it. */
static CUresult make_context(struct cushim_test *test, const struct cushim_test_options *options)
{
    const struct cushim_table *driver = cushim_driver();
    CUresult code = driver->Init(0);

    if (code != CUDA_SUCCESS)
        return refuse_context(options, code, "cuInit");
    code = driver->DevicePrimaryCtxRetain(&test->context, 0);
    if (code != CUDA_SUCCESS)
        return refuse_context(options, code, "cuDevicePrimaryCtxRetain");
    test->has_retained = true;
    code = driver->CtxSetCurrent(test->context);
    return code == CUDA_SUCCESS ? code : refuse_context(options, code, "cuCtxSetCurrent");
}

static CUresult begin(struct cushim_test *test, const struct cushim_test_options *options)
{
    CUresult code = create_mock(test, options);

    if (code == CUDA_SUCCESS)
        code = create_layer(test, options);
    if (code == CUDA_SUCCESS && options->on_driver)
        cushim_layer_wrapped(test->layer)->CtxGetCurrent(&test->former);
    test->context = test->former;
    if (code == CUDA_SUCCESS)
        code = install(test->layer);
    if (code == CUDA_SUCCESS && options->context)
        code = make_context(test, options);
    if (code == CUDA_SUCCESS)
        code = begin_check(test);
    if (code == CUDA_SUCCESS)
        code = cushim__recording_start(test->layer, options->capacity, options->capacity > 0);
    if (code == CUDA_SUCCESS && options->forbid_errors)
        code = cushim_layer_forbid_errors(test->layer, true);
    if (code == CUDA_SUCCESS && options->faults)
        code = cushim_fault_add_rules(test->layer, options->faults, options->message,
                                      options->message_size);
    return code;
}

static void destroy(struct cushim_test *test)
{
    if (test->has_retained && test->layer) {
        const struct cushim_table *driver = cushim_layer_wrapped(test->layer);

        driver->CtxSetCurrent(test->former);
        driver->DevicePrimaryCtxRelease_v2(0);
    }
    cushim_layer_destroy(test->layer);
    cushim_mock_destroy(test->mock);
    free(test);
}

/*
 * Refuse options with an impossible size. If the size was forgotten or is that of a newer version,
 * the message is in its usual place. Otherwise the options cannot be read.
 */
static CUresult refuse_size(const struct cushim_test_options *options)
{
    struct cushim_test_options reached = {.message = NULL};
    const bool is_newer = options->size > sizeof *options &&
                          options->size <= CUSHIM__LARGEST_OPTIONS &&
                          options->size % sizeof options->size == 0;

    if (options->size == 0 || is_newer)
        reached = *options;
    if (reached.message && reached.message_size > 0)
        reached.message[0] = '\0';
    return refuse(&reached, CUDA_ERROR_INVALID_VALUE,
                  "options: .size is not sizeof(struct cushim_test_options): set it");
}

CUresult cushim_test_begin(const struct cushim_test_options *options, struct cushim_test **test)
{
    struct cushim_test_options known = {.size = sizeof known};
    struct cushim_test *begun;
    CUresult code;

    if (!cushim__options_read(&known, sizeof known, options))
        return refuse_size(options);
    if (known.message && known.message_size > 0)
        known.message[0] = '\0';
    if (!test)
        return refuse(&known, CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the test: NULL");
    begun = calloc(1, sizeof *begun);
    if (!begun)
        return refuse(&known, CUDA_ERROR_OUT_OF_MEMORY, "memory ran out");
    code = begin(begun, &known);
    if (code == CUDA_SUCCESS) {
        __atomic_store_n(&running, begun, __ATOMIC_RELEASE);
        *test = begun;
        return code;
    }
    destroy(begun);
    return refuse(&known, code,
                  code == CUDA_ERROR_OUT_OF_MEMORY ? "memory ran out" : "it could not be begun");
}

/* Whether this test runs. The pointer is not followed, so the test may have ended. */
static bool runs(const struct cushim_test *test)
{
    return test && test == __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}

struct cushim_mock *cushim_test_mock(const struct cushim_test *test)
{
    return runs(test) ? test->mock : NULL;
}

struct cushim_layer *cushim_test_layer(const struct cushim_test *test)
{
    return runs(test) ? test->layer : NULL;
}

CUresult cushim_test_end(struct cushim_test *test, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!test)
        return CUDA_SUCCESS;
    if (!runs(test)) {
        cushim__text_add(&text, "this is not the running test\n");
        return CUDA_ERROR_INVALID_VALUE;
    }
    print_verdict(test, &text);
    __atomic_store_n(&running, NULL, __ATOMIC_RELEASE);
    destroy(test);
    return text.length > 0 ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}
