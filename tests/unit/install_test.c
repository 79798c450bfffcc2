/* SPDX-License-Identifier: Apache-2.0 */
/* Installing a table, as a mock or a layer does, and restoring the former one. */
#define _GNU_SOURCE
#include <pthread.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "loader/symbols.h"
#include "tests/support/environment.h"

static struct fake_source source;
static struct fake_source broken = {.lacks = {"cuInit"}};

static CUresult install(const struct cushim_table *table)
{
    return cushim_table_install(table, NULL);
}

/* --- a layer that counts the calls through it --- */

static struct cushim_table layer;
static const struct cushim_table *next;
static unsigned passed;

static CUresult CUDAAPI pass_event_query(CUevent event)
{
    passed++;
    return next->EventQuery(event);
}

static int added_to_version;

static CUresult CUDAAPI pass_driver_get_version(int *version)
{
    const CUresult code = next->DriverGetVersion(version);

    passed++;
    if (code == CUDA_SUCCESS)
        *version += added_to_version;
    return code;
}

static CUresult CUDAAPI pass_init(unsigned int flags)
{
    passed++;
    return next->Init(flags);
}

static void install_layer(void)
{
    layer = *cushim_driver();
    layer.EventQuery = pass_event_query;
    layer.DriverGetVersion = pass_driver_get_version;
    layer.Init = pass_init;
    assert_int_equal(cushim_table_install(&layer, &next), CUDA_SUCCESS);
}

/* --- installing and restoring --- */

FORKED_TEST(installed_table_is_current_until_null_restores_the_loaders_own)
{
    const struct cushim_table *former = NULL;

    assert_int_equal(cushim_table_install(fake_mock(), &former), CUDA_SUCCESS);
    assert_ptr_equal(former, &cushim__lazy_table);
    assert_ptr_equal(cushim_driver(), fake_mock());
    assert_ptr_equal(cushim_table_current(), fake_mock());
    assert_true(fake_report().installed);
    install_layer();
    assert_ptr_equal(next, fake_mock());
    assert_int_equal(install(next), CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), fake_mock());
    assert_int_equal(cushim_table_install(NULL, &former), CUDA_SUCCESS);
    assert_ptr_equal(former, fake_mock());
    assert_ptr_equal(cushim_driver(), &cushim__lazy_table);
    assert_ptr_equal(cushim_table_current(), &cushim__lazy_table);
    assert_false(fake_report().installed);
}

FORKED_TEST(incomplete_table_is_refused)
{
    const struct cushim_table *former = NULL;
    struct cushim_table *mock = fake_mock();

    static const size_t sizes[] = {0, 1, sizeof(size_t),
                                   sizeof(size_t) + sizeof(cushim_function) - 1};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        mock->size = sizes[i];
        assert_int_equal(cushim_table_install(mock, &former), CUDA_ERROR_INVALID_VALUE);
    }
    mock->size = sizeof *mock;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        char *slot = (char *)mock + sizeof(size_t) + i * sizeof(cushim_function);
        cushim_function kept;

        memcpy(&kept, slot, sizeof kept);
        memset(slot, 0, sizeof kept);
        assert_int_equal(cushim_table_install(mock, &former), CUDA_ERROR_INVALID_VALUE);
        memcpy(slot, &kept, sizeof kept);
    }
    assert_null(former);
    assert_ptr_equal(cushim_driver(), &cushim__lazy_table);
    mock->size = 2 * sizeof *mock; /* the size that a newer version's table would have */
    assert_int_equal(install(mock), CUDA_SUCCESS);
}

/* --- installed tables and the loader --- */

FORKED_TEST(installed_table_stays_current_during_a_load)
{
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

FORKED_TEST(load_over_an_installed_mock_loads_nothing)
{
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_driver_load(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_library_calls(), 0);
    assert_int_equal(fake_report().state, CUSHIM_STATE_UNTRIED);
}

FORKED_TEST(init_always_initialises_an_installed_table)
{
    environment_set("CUSHIM_LIBRARY", "none");
    fake.init_code = CUDA_ERROR_NO_DEVICE;
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(cushim_driver_init(NULL), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cushim_driver_init(NULL), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(fake.init_calls, 2);
    assert_int_equal(fake_report().state, CUSHIM_STATE_UNTRIED);
}

FORKED_TEST(minimum_version_applies_to_an_installed_table)
{
    const struct cushim_load_options newer = {.size = sizeof newer,
                                              .minimum_version = FAKE_VERSION + 10};

    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    assert_int_equal(fake_load_any_minimum(FAKE_VERSION), CUDA_SUCCESS);
    assert_int_equal(fake_load_any_minimum(FAKE_VERSION + 10), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(cushim_driver_init(&newer), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(fake.init_calls, 0);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER); /* it stays installed */
    assert_int_equal(fake_library_calls(), 0);
    assert_int_equal(fake_report().state, CUSHIM_STATE_UNTRIED);
}

FORKED_TEST(installed_table_has_what_its_version_should_have)
{
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    install_layer(); /* its slots do not show what the mock lacks */
    assert_true(cushim_driver_has("cuEventElapsedTime_v2", 12080));
    assert_true(cushim_driver_has("cuMemFree_v2", 0));
    assert_false(cushim_driver_has("cuMemFree_v2", FAKE_VERSION + 10));
    fake.version = 12020;
    assert_true(cushim_driver_has("cuEventElapsedTime_v2", 0)); /* by its fallback */
    assert_false(cushim_driver_has("cuGreenCtxCreate", 0));     /* of CUDA 12.4 */
    fake.version_code = CUDA_ERROR_UNKNOWN;
    assert_false(cushim_driver_has("cuMemFree_v2", 0));
}

/* The loader does the same for a driver. */
FORKED_TEST(version_that_an_installed_table_does_not_give_is_an_error)
{
    static const struct {
        int version;
        CUresult code, expected;
    } cases[] = {
        {FAKE_VERSION, CUDA_ERROR_NO_DEVICE, CUDA_ERROR_NO_DEVICE},
        {0, CUDA_SUCCESS, CUDA_ERROR_UNKNOWN},
        {-FAKE_VERSION, CUDA_SUCCESS, CUDA_ERROR_UNKNOWN},
    };

    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    for (size_t i = 0; i < COUNT(cases); i++) {
        fake.version = cases[i].version;
        fake.version_code = cases[i].code;
        assert_int_equal(fake_load_any_minimum(1), cases[i].expected);
        assert_int_equal(fake_load_any_minimum(0), CUDA_SUCCESS); /* its version is not asked for */
    }
}

FORKED_TEST(minimum_version_applies_to_the_answer_of_an_installed_layer)
{
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS);
    install_layer();
    assert_int_equal(fake_load_any_minimum(FAKE_VERSION + 10), CUSHIM__REQUIRES_NEWER_DRIVER);
    added_to_version = 10;
    assert_int_equal(fake_load_any_minimum(FAKE_VERSION + 10), CUDA_SUCCESS);
    assert_int_equal(passed, 2);
}

FORKED_TEST(minimum_version_over_the_lazy_load_table_is_checked_by_its_load)
{
    environment_set("CUSHIM_LIBRARY", "none");
    install_layer();
    assert_int_equal(fake_load_any_minimum(1), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(passed, 1);
}

FORKED_TEST(layer_over_the_lazy_load_table_loads_once_and_forwards)
{
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    install_layer();
    assert_ptr_equal(next, &cushim__lazy_table);
    for (unsigned calls = 1; calls <= 3; calls++) {
        assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
        assert_int_equal(passed, calls);
    }
    assert_int_equal(fake_library_calls(), 1);
    assert_int_equal(cushim_driver_init(NULL), CUDA_SUCCESS);
    assert_int_equal(passed, 4);
    assert_ptr_equal(cushim_driver(), &layer);
    assert_int_equal(fake_report().state, CUSHIM_STATE_READY);
}

FORKED_TEST(former_table_restored_after_a_load_is_the_drivers)
{
    const struct cushim_table *former = NULL;

    install_layer();
    assert_ptr_equal(next, &cushim__lazy_table);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(install(next), CUDA_SUCCESS);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(cushim_table_install(fake_mock(), &former), CUDA_SUCCESS); /* the absent one */
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(install(former), CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), cushim__loaded_driver()->table);
    assert_false(cushim__is_installed());
}

/* --- tables with fewer slots, such as that of a layer compiled with an older version --- */

static size_t size_of(size_t slots)
{
    return sizeof(size_t) + slots * sizeof(cushim_function);
}

static cushim_function slot_of(const struct cushim_table *table, size_t slot)
{
    cushim_function function;

    memcpy(&function, (const char *)table + size_of(slot), sizeof function);
    return function;
}

/* The first slots of the mock in exactly enough memory; the caller frees it. */
static struct cushim_table *new_short_table(size_t slots)
{
    struct cushim_table *table = malloc(size_of(slots)), *mock = fake_mock();

    assert_non_null(table);
    mock->size = size_of(slots);
    memcpy(table, mock, size_of(slots));
    return table;
}

/*
 * Assert that each slot of the current table is the shorter table's, or that of a missing symbol.
 */
static void assert_completed(const struct cushim_table *original, size_t slots)
{
    const struct cushim_table *current = cushim_driver();

    assert_true(current->size == sizeof *current);
    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const unsigned fallback = cushim__symbols[i].fallback;

        if (i == CUSHIM__SLOT(GetErrorName) || i == CUSHIM__SLOT(GetErrorString))
            continue; /* each copy has its own */
        assert_true(slot_of(current, i) ==
                    (i < slots          ? slot_of(original, i)
                     : fallback < slots ? slot_of(original, fallback)
                                        : cushim__without_driver(i, cushim__missing_function(i))));
    }
}

FORKED_TEST(shorter_table_is_installed_with_the_missing_slots_filled)
{
    static const size_t counts[] = {1, 17, CUSHIM__SLOT(EventElapsedTime_v2),
                                    CUSHIM__SYMBOL_COUNT - 1};

    for (size_t i = 0; i < COUNT(counts); i++) {
        struct cushim_table *table = new_short_table(counts[i]);
        const struct cushim_table *former = NULL;

        assert_int_equal(install(table), CUDA_SUCCESS);
        assert_completed(table, counts[i]);
        assert_true(cushim_table_installed() == table && fake_report().installed);
        assert_int_equal(cushim_table_install(NULL, &former), CUDA_SUCCESS);
        assert_true(former == table && !cushim_table_installed());
        free(table);
    }
}

FORKED_TEST(slot_beyond_a_shorter_table_answers_without_a_driver)
{
    struct cushim_table *table = new_short_table(1);
    const char *name = NULL;

    assert_int_equal(install(table), CUDA_SUCCESS);
    assert_int_equal(fake_query(), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(cushim_driver()->GetErrorName(CUDA_ERROR_NO_DEVICE, &name), CUDA_SUCCESS);
    assert_string_equal(name, "CUDA_ERROR_NO_DEVICE");
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    free(table);
}

static CUresult CUDAAPI old_error_text(CUresult code, const char **text)
{
    *text = code == CUDA_ERROR_NO_DEVICE ? "from the table" : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult CUDAAPI other_error_text(CUresult code, const char **text)
{
    *text = code == CUDA_ERROR_NO_DEVICE ? "from the other" : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void set_error_texts(struct cushim_table *table,
                            CUresult(CUDAAPI *function)(CUresult code, const char **text))
{
    /* Copied as bytes, because the table is shorter than the struct. */
    memcpy((unsigned char *)table + offsetof(struct cushim_table, GetErrorName), &function,
           sizeof function);
    memcpy((unsigned char *)table + offsetof(struct cushim_table, GetErrorString), &function,
           sizeof function);
}

/* The table's own texts, and the registry's for a code of cushim that the table does not know. */
static void assert_error_texts(const struct cushim_table *table, const char *own)
{
    const CUresult unknown = CUSHIM__REQUIRES_NEWER_DRIVER;
    const char *text = NULL;

    assert_int_equal(table->GetErrorName(CUDA_ERROR_NO_DEVICE, &text), CUDA_SUCCESS);
    assert_string_equal(text, own);
    assert_int_equal(table->GetErrorString(CUDA_ERROR_NO_DEVICE, &text), CUDA_SUCCESS);
    assert_string_equal(text, own);
    assert_int_equal(table->GetErrorName(unknown, &text), CUDA_SUCCESS);
    assert_string_equal(text, cushim_error_name(unknown));
    assert_int_equal(table->GetErrorString(unknown, &text), CUDA_SUCCESS);
    assert_string_equal(text, cushim_error_string(unknown));
}

FORKED_TEST(registry_answers_for_a_code_that_a_shorter_table_does_not_know)
{
    struct cushim_table *tables[8];
    const struct cushim_table *copies[COUNT(tables)];

    for (size_t i = 0; i < COUNT(tables); i++) {
        tables[i] = new_short_table(CUSHIM__SYMBOL_COUNT - 1);
        set_error_texts(tables[i], i % 2 ? other_error_text : old_error_text);
        assert_int_equal(install(tables[i]), CUDA_SUCCESS);
        copies[i] = cushim_driver();
    }
    for (size_t i = 0; i < COUNT(tables); i++) /* a layer may call the former copy */
        assert_error_texts(copies[i], i % 2 ? "from the other" : "from the table");
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    for (size_t i = 0; i < COUNT(tables); i++)
        free(tables[i]);
}

/* A layer that passes its calls to the current table may be installed again. */
FORKED_TEST(shorter_tables_that_take_their_texts_from_each_other_do_not_ask_forever)
{
    struct cushim_table *table = new_short_table(CUSHIM__SYMBOL_COUNT - 1);
    struct cushim_table *layer_of_it = new_short_table(CUSHIM__SYMBOL_COUNT - 1);

    set_error_texts(table, old_error_text);
    assert_int_equal(install(table), CUDA_SUCCESS);
    for (int i = 0; i < 2; i++) {
        memcpy(layer_of_it, cushim_driver(), size_of(CUSHIM__SYMBOL_COUNT - 1));
        *(size_t *)layer_of_it = size_of(CUSHIM__SYMBOL_COUNT - 1);
        assert_int_equal(install(layer_of_it), CUDA_SUCCESS);
        assert_error_texts(cushim_driver(), "from the table");
        memcpy(table, cushim_driver(), size_of(CUSHIM__SYMBOL_COUNT - 1));
        *(size_t *)table = size_of(CUSHIM__SYMBOL_COUNT - 1);
        assert_int_equal(install(table), CUDA_SUCCESS);
        assert_error_texts(cushim_driver(), "from the table");
    }
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    free(layer_of_it);
    free(table);
}

FORKED_TEST(minimum_version_applies_to_a_shorter_table)
{
    struct cushim_table *with = new_short_table(CUSHIM__SLOT(DriverGetVersion) + 1);
    struct cushim_table *without = new_short_table(CUSHIM__SLOT(DriverGetVersion));

    assert_int_equal(install(with), CUDA_SUCCESS);
    assert_int_equal(fake_load_any_minimum(FAKE_VERSION), CUDA_SUCCESS);
    assert_int_equal(fake_load_any_minimum(FAKE_VERSION + 10), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(install(without), CUDA_SUCCESS);
    assert_int_equal(fake_load_any_minimum(1), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(fake_load_any_minimum(0), CUDA_SUCCESS);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    free(with);
    free(without);
}

FORKED_TEST(shorter_tables_over_each_other_are_restored_one_by_one)
{
    struct cushim_table *tables[3];
    const struct cushim_table *formers[COUNT(tables)];

    for (size_t i = 0; i < COUNT(tables); i++) {
        tables[i] = new_short_table(CUSHIM__SYMBOL_COUNT - 1 - i);
        assert_int_equal(cushim_table_install(tables[i], &formers[i]), CUDA_SUCCESS);
        assert_ptr_equal(formers[i], i ? tables[i - 1] : &cushim__lazy_table);
    }
    for (size_t i = COUNT(tables); i-- > 1;) {
        assert_int_equal(install(formers[i]), CUDA_SUCCESS);
        assert_ptr_equal(cushim_table_installed(), tables[i - 1]);
        assert_completed(tables[i - 1], CUSHIM__SYMBOL_COUNT - i);
    }
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    for (size_t i = 0; i < COUNT(tables); i++)
        free(tables[i]);
}

static CUresult CUDAAPI other_answer(CUevent event)
{
    return CUDA_ERROR_INVALID_CONTEXT;
}

FORKED_TEST(shorter_table_that_was_changed_is_copied_again_to_the_same_place)
{
    struct cushim_table *table = new_short_table(CUSHIM__SYMBOL_COUNT - 1);
    CUresult(CUDAAPI *const answer)(CUevent event) = other_answer;
    const struct cushim_table *copy, *former = NULL;

    assert_int_equal(install(table), CUDA_SUCCESS);
    copy = cushim_driver();
    assert_int_equal(cushim_table_install(table, &former), CUDA_SUCCESS);
    assert_ptr_equal(former, table);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    /* Copied as bytes, because the table is shorter than the struct. */
    memcpy((unsigned char *)table + offsetof(struct cushim_table, EventQuery), &answer,
           sizeof answer);
    assert_int_equal(install(table), CUDA_SUCCESS);
    assert_ptr_equal(cushim_driver(), copy);
    assert_int_equal(fake_query(), CUDA_ERROR_INVALID_CONTEXT);
    /* A program that kept a pointer to the copy can install it, which installs the table. */
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    assert_int_equal(install(copy), CUDA_SUCCESS);
    assert_ptr_equal(cushim_table_installed(), table);
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    free(table);
}

FORKED_TEST(shorter_tables_beyond_the_eighth_are_refused)
{
    struct cushim_table *tables[9];
    const struct cushim_table *former = NULL;

    for (size_t i = 0; i < COUNT(tables); i++)
        tables[i] = new_short_table(CUSHIM__SYMBOL_COUNT - 1);
    for (size_t i = 0; i < COUNT(tables) - 1; i++)
        assert_int_equal(install(tables[i]), CUDA_SUCCESS);
    assert_int_equal(cushim_table_install(tables[8], &former), CUDA_ERROR_OUT_OF_MEMORY);
    assert_null(former);
    assert_ptr_equal(cushim_table_installed(), tables[7]);
    for (size_t i = 0; i < COUNT(tables) - 1; i++) {
        assert_int_equal(install(tables[i]), CUDA_SUCCESS);
        assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    }
    assert_int_equal(install(fake_mock()), CUDA_SUCCESS); /* a table with all slots needs no copy */
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    for (size_t i = 0; i < COUNT(tables); i++)
        free(tables[i]);
}

/* --- declared layers --- */

FORKED_TEST(declaration_that_cannot_be_is_refused)
{
    struct cushim_table *short_table = new_short_table(CUSHIM__SYMBOL_COUNT - 1);
    static struct cushim_table layers[9];

    for (size_t i = 0; i < COUNT(layers); i++)
        layers[i] = *fake_mock();
    assert_int_equal(cushim_table_set_wrapped(NULL, layers), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_set_wrapped(&cushim__lazy_table, layers),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_set_wrapped(layers, layers), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_set_wrapped(layers, short_table), CUDA_SUCCESS);
    assert_int_equal(cushim_table_set_wrapped(layers + 1, layers), CUDA_SUCCESS);
    assert_int_equal(cushim_table_set_wrapped(short_table, layers + 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_set_wrapped(layers, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_table_set_wrapped(short_table, layers), CUDA_SUCCESS);
    for (size_t i = 2; i < COUNT(layers); i++)
        assert_int_equal(cushim_table_set_wrapped(layers + i, layers),
                         i < 7 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cushim_table_set_wrapped(layers + 6, NULL), CUDA_SUCCESS);
    free(short_table);
}

enum { COPIES = 8, INSTALLERS = 8, INSTALLATIONS = 2000 };

static atomic_uint wrong_answers;

/*
 * While other threads install tables, each call must find the loader's own table or a complete
 * copy.
 */
static void *install_and_call(void *table)
{
    for (int i = 0; i < INSTALLATIONS; i++) {
        float ms;

        install(table);
        if (cushim_driver()->EventQuery(NULL) != (CUresult)FAKE_MOCK_ANSWER ||
            cushim_driver()->EventElapsedTime_v2(&ms, NULL, NULL) != CUDA_SUCCESS)
            atomic_fetch_add(&wrong_answers, 1);
    }
    return NULL;
}

FORKED_TEST(threads_that_install_one_shorter_table_use_one_copy)
{
    struct cushim_table *table = new_short_table(CUSHIM__SLOT(EventElapsedTime_v2));
    struct cushim_table *others[COPIES - 1];
    pthread_t threads[INSTALLERS];

    for (int i = 0; i < INSTALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, install_and_call, table), 0);
    for (int i = 0; i < INSTALLERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong_answers, 0);
    assert_completed(table, CUSHIM__SLOT(EventElapsedTime_v2));
    for (int i = 0; i < COPIES - 1; i++) { /* the other copies are free */
        others[i] = new_short_table(1);
        assert_int_equal(install(others[i]), CUDA_SUCCESS);
    }
    assert_int_equal(install(NULL), CUDA_SUCCESS);
    for (int i = 0; i < COPIES - 1; i++)
        free(others[i]);
    free(table);
}
