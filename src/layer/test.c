/* SPDX-License-Identifier: Apache-2.0 */
/* A test's mock and layer: begun and ended together. Not in the library that programs load. */
#include <stdlib.h>

#include <cushim/driver.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/test.h>

#include "loader/options.h"
#include "src/base/result.h"
#include "src/base/text.h"
#include "src/layer/layer.h"
#include "src/layer/recording/known.h"
#include "src/layer/recording/recording.h"
#include "src/layer/test.h"
#include "src/mock/core/state.h"

/* The one that runs; NULL: none does. */
static struct cushim_test *running;

static const char exists[] = "a test, a mock or a layer exists in this process: end it first "
                             "(cushim_test_end), also when a test before this one failed";

/* Say why it does not begin, unless a part that knows better has. Returns the code. */
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

static CUresult begin_seeing(struct cushim_layer *layer)
{
    bool is_begun;

    cushim__lock_take(&layer->lock);
    is_begun = cushim__seeing_begin(CUSHIM__SEEN_BY_TEST);
    cushim__lock_release(&layer->lock);
    cushim__watch_set_all(CUSHIM__WATCHED_BY_RECORDING, true);
    return is_begun ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A mock whose settings hold faults has made one. */
static CUresult create_layer(struct cushim_test *test, const struct cushim_test_options *options)
{
    CUresult code;

    test->layer = test->mock ? test->mock->layer : NULL;
    if (test->layer)
        return CUDA_SUCCESS;
    code = cushim_layer_create(NULL, &test->layer);
    return code == CUDA_ERROR_ALREADY_ACQUIRED ? refuse(options, code, exists) : code;
}

/* What to do about a context that there is none of. */
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
        return "; mend what cushim_driver() answers, or leave .context out";
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

/* Through the layer, which keeps book of it. */
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
        code = begin_seeing(test->layer);
    if (code == CUDA_SUCCESS)
        code = cushim_layer_install(test->layer);
    if (code == CUDA_SUCCESS && options->context)
        code = make_context(test, options);
    if (code == CUDA_SUCCESS)
        code = cushim__recording_start(test->layer, options->capacity, options->capacity > 0);
    if (code == CUDA_SUCCESS && options->forbid_errors)
        code = cushim_errors_forbid(test->layer, true);
    if (code == CUDA_SUCCESS && options->faults)
        code = cushim_fault_parse(test->layer, options->faults, options->message,
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
 * The message of options whose size cannot be is where it should be if the size was forgotten, or
 * if they have more to say than is known here. Else nobody can tell what they are.
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

/* What somebody has of a test that has ended is not looked into. */
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
        cushim__text_add(&text, "this test has ended, or is none\n");
        return CUDA_ERROR_INVALID_VALUE;
    }
    cushim__test_tell(test, &text);
    __atomic_store_n(&running, NULL, __ATOMIC_RELEASE);
    destroy(test);
    return text.length > 0 ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}
