/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls without a driver, or of a symbol that the driver lacks: the usual error macro prints the
 * reason, and a missing symbol is logged. The same tests run on the machine code and on the C
 * functions for other platforms.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include <cushim/event.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "tests/support/environment.h"

enum { THREADS = 16 };

static struct fake_source source;
static struct fake_source broken = {.lacks = {"cuInit"}};

/* --- cuGetErrorName and cuGetErrorString --- */

/* The ways in which a process gets no working driver. */
static const struct situation {
    const char *name;
    CUresult code; /* the result of cuInit(0) */
    /* The source of the load: the fake driver, one that lacks cuInit, or CUSHIM_LIBRARY=none. */
    enum { FAKE, BROKEN, NONE } what;
    unsigned init_calls; /* before the one whose code is looked up */
    CUresult version_code;
    bool has_layer;
} situations[] = {
    {"lazy-load table", 303, .what = NONE},
    {"absent table", 303, .what = NONE, .init_calls = 2},
    {"layer over the lazy-load table", 303, .what = NONE, .has_layer = true},
    {"failed explicit load", 302, .what = BROKEN},
    {"stub", 34, .what = FAKE, .version_code = CUDA_ERROR_STUB_LIBRARY},
    {"driver that lacks both", 100, .what = FAKE, .init_calls = 1},
};

static CUresult init(void)
{
    return cushim_driver()->Init(0);
}

static CUresult enter(const struct situation *situation)
{
    static struct cushim_table layer;

    environment_set("CUSHIM_LIBRARY", "none");
    fake.version_code = situation->version_code;
    fake.init_code = situation->code;
    if (situation->has_layer) {
        layer = *cushim_driver();
        cushim_table_install(&layer, NULL);
    }
    if (situation->what != NONE)
        fake_load(situation->what == FAKE ? &source : &broken);
    for (unsigned i = 0; i < situation->init_calls; i++)
        init();
    return situation->code;
}

/* Whether a function returns `expected`, and handles unknown codes and NULL as CUDA documents. */
static bool is_right(CUresult(CUDAAPI *function)(CUresult, const char **), CUresult code,
                     const char *expected)
{
    static const int unknown[] = {-1, 9, 12345};
    const char *text = "?";
    bool right = function(code, &text) == CUDA_SUCCESS && strcmp(text, expected) == 0 &&
                 function(code, NULL) == CUDA_ERROR_INVALID_VALUE;

    for (size_t i = 0; i < COUNT(unknown); i++) {
        text = "?";
        right = right && function((CUresult)unknown[i], &text) == CUDA_ERROR_INVALID_VALUE && !text;
    }
    return right;
}

/* Count the functions of the current table that are wrong. */
static int count_wrong_texts(CUresult code)
{
    return !is_right(cushim_driver()->GetErrorString, code, cushim_error_string(code)) +
           !is_right(cushim_driver()->GetErrorName, code, cushim_error_name(code));
}

/* NULL events are not the error: without a driver none could be created. */
static bool is_explained(CUresult code)
{
    const char *text = cushim_event_explanation(NULL, NULL, CUDA_ERROR_INVALID_HANDLE);

    return code == CUDA_ERROR_NO_DEVICE ? strstr(text, "Both events are NULL") != NULL
                                        : strcmp(text, cushim_error_advice(code)) == 0;
}

static const struct situation *situation;

static int check_situation(void)
{
    /* A program's first call may be to GetErrorString. */
    const int wrong = count_wrong_texts(enter(situation));

    return wrong + (init() != situation->code) + count_wrong_texts(situation->code) +
           !is_explained(situation->code);
}

TEST_ALONE(texts_come_from_the_registry_without_a_driver)
{
    for (situation = situations; situation < situations + COUNT(situations); situation++) {
        if (forked_answer(check_situation) != 0)
            fail_msg("%s", situation->name);
    }
}

#if !defined(_WIN32)
static int check_child(void)
{
    return count_wrong_texts(init()) + !is_explained(init());
}

FORKED_TEST(texts_come_from_the_registry_in_a_forked_child)
{
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(init(), CUDA_SUCCESS);
    assert_int_equal(forked_answer(check_child), 0);
}
#endif

static CUresult CUDAAPI own_error_string(CUresult code, const char **text)
{
    *text = (int)code == 9 ? "from the driver" : NULL;
    return (int)code == 9 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FORKED_TEST(driver_that_has_the_function_answers_itself)
{
    const char *text = "?";

    source.has[0].symbol = "cuGetErrorString";
    source.has[0].function = (cushim_function)own_error_string;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->GetErrorString((CUresult)9, &text), CUDA_SUCCESS);
    assert_string_equal(text, "from the driver");
    assert_int_equal(cushim_driver()->GetErrorString(CUDA_ERROR_NO_DEVICE, &text),
                     CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}

/* --- a driver that does not know the codes of cushim --- */

static CUresult CUDAAPI old_error_text(CUresult code, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = code == CUDA_ERROR_NO_DEVICE         ? "from the driver"
            : code == CUDA_ERROR_NOT_INITIALIZED ? "also from the driver"
                                                 : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The codes that cushim returns itself, except for the one that the driver knows. */
static const int own_codes[] = {34, 36, 302, 303, 909};

static int count_wrong_answers(const struct cushim_table *table)
{
    int wrong = 0;

    for (size_t i = 0; i < COUNT(own_codes); i++) {
        const CUresult code = (CUresult)own_codes[i];

        wrong += !is_right(table->GetErrorName, code, cushim_error_name(code));
        wrong += !is_right(table->GetErrorString, code, cushim_error_string(code));
    }
    wrong += !is_right(table->GetErrorName, CUDA_ERROR_NO_DEVICE, "from the driver");
    wrong += !is_right(table->GetErrorString, CUDA_ERROR_NOT_INITIALIZED, "also from the driver");
    return wrong;
}

static CUresult load_old_driver(void)
{
    source.has[0].symbol = "cuGetErrorName";
    source.has[1].symbol = "cuGetErrorString";
    source.has[0].function = source.has[1].function = (cushim_function)old_error_text;
    return fake_load(&source);
}

FORKED_TEST(registry_answers_for_a_code_of_cushim_that_the_driver_does_not_know)
{
    const struct cushim_table *lazy = cushim_driver();
    const char *text = "?";

    assert_int_equal(load_old_driver(), CUDA_SUCCESS);
    assert_int_equal(count_wrong_answers(cushim_driver()), 0);
    assert_int_equal(count_wrong_answers(lazy), 0);
    /* Only the driver interprets other codes, even if it does not know them. */
    assert_int_equal(cushim_driver()->GetErrorName(CUDA_ERROR_NOT_READY, &text),
                     CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}

static CUresult CUDAAPI failing_error_text(CUresult code, const char **text)
{
    return CUDA_ERROR_DEINITIALIZED;
}

FORKED_TEST(failure_of_the_drivers_function_is_passed_on)
{
    const char *text = "?";

    source.has[0].symbol = "cuGetErrorName";
    source.has[0].function = (cushim_function)failing_error_text;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->GetErrorName(CUSHIM__REQUIRES_NEWER_DRIVER, &text),
                     CUDA_ERROR_DEINITIALIZED);
    assert_string_equal(text, "?");
}

/* --- missing symbols --- */

static char logged[512];
static atomic_uint log_lines;

static void log_line(void *data, const char *message)
{
    if (atomic_fetch_add((atomic_uint *)data, 1) == 0)
        snprintf(logged, sizeof logged, "%s", message);
}

static pthread_barrier_t start;

static void *allocate(void *unused)
{
    CUdeviceptr address;

    pthread_barrier_wait(&start);
    return cushim_driver()->MemAlloc_v2(&address, 1) == CUSHIM__REQUIRES_NEWER_DRIVER ? unused
                                                                                      : &source;
}

FORKED_TEST(call_of_a_missing_symbol_is_logged_once)
{
    pthread_t threads[THREADS];
    void *wrong;

    cushim_log_set(log_line, &log_lines);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(log_lines, 0);
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(log_lines, 1);
    /*
     * The message states the name, the CUDA version that introduced the symbol, and the driver's
     * version.
     */
    CONTAINS(logged, "cuMemAlloc_v2 ");
    CONTAINS(logged, "CUDA 3.2,");
    CONTAINS(logged, "CUDA 12.8");
    assert_int_equal(cushim_driver()->StreamQuery(NULL), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(log_lines, 2);
}
