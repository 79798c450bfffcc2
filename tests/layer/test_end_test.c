/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a test: its report of everything that is wrong. */

#include <cushim/driver.h>

#include "src/base/call_site.h"
#include "src/layer/handle_table.h"
#include "src/testkit/sweep.h"
#include "tests/layer/testkit.h"

static const struct cushim_test_options manual = {.size = sizeof manual,
                                                  .settings = "mode = manual"};

/* The report without rules and cures, and with `<place>` instead of addresses in this program. */
static const char *said(void)
{
    static char text[sizeof testkit_text];
    const char *from = testkit_text;
    char *to = text;

    while (*from) {
        if (strncmp(from, "\n  rule ", 8) == 0 || strncmp(from, "\n  cure ", 8) == 0) {
            from += 1 + strcspn(from + 1, "\n");
            continue;
        }
        if (strncmp(from, " at ", 4) != 0) {
            *to++ = *from++;
            continue;
        }
        to += sprintf(to, " at <place>");
        from += strcspn(from, "\n");
    }
    *to = '\0';
    return text;
}

static int begin(void **state)
{
    testkit_begin(&manual);
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, begin, testkit_gone)

TEST(clean_test_ends_without_a_word)
{
    CUdeviceptr address;
    CUevent event;

    testkit_enter();
    OK(driver->EventCreate(&event, 0));
    OK(driver->MemAlloc_v2(&address, 100));
    OK(driver->MemFree_v2(address));
    OK(driver->EventDestroy_v2(event));
    testkit_leave();
    OK(testkit_end());
    assert_string_equal(testkit_text, "");
}

TEST(table_is_the_layers_until_the_end)
{
    assert_ptr_equal(cushim_driver(), cushim_layer_table(layer));
    assert_ptr_equal(cushim_layer_wrapped(layer), cushim_mock_table(mock));
    OK(testkit_end());
    assert_ptr_not_equal(cushim_driver(), driver);
    OK(cushim_test_end(NULL, NULL, 0));
    assert_null(cushim_test_mock(NULL));
    assert_null(cushim_test_layer(NULL));
}

TEST(leaked_objects_are_reported_by_type)
{
    CUevent events[2];
    CUstream stream;

    testkit_enter();
    OK(driver->EventCreate(&events[0], 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->EventCreate(&events[1], 0));
    OK(cushim_recording_set_tag(layer, stream, "upload"));
    CODE(CUDA_ERROR_ILLEGAL_STATE, (cushim_test_mock(testkit), testkit_end()));
    assert_string_equal(
        said(), "cushim: warning: CUSHIM-leak-context: context#1 is never released\n"
                "  context#1 was made by cuDevicePrimaryCtxRetain, call 2 of thread 1, at <place>\n"
                "cushim: warning: CUSHIM-leak-stream: upload is never destroyed\n"
                "  upload was made by cuStreamCreate, call 5 of thread 1, at <place>\n"
                "cushim: warning: CUSHIM-leak-event: event#1 is never destroyed\n"
                "  event#1 was made by cuEventCreate, call 4 of thread 1, at <place>\n"
                "cushim: warning: CUSHIM-leak-event: event#2 is never destroyed\n"
                "  event#2 was made by cuEventCreate, call 6 of thread 1, at <place>\n"
                "context#1 is left current for this thread\n");
}

TEST(leaked_allocations_are_reported_with_their_bytes)
{
    static const char *const leaks[] = {
        "CUSHIM-leak-memory: memory#1, 1000 bytes, is never freed\n"
        "  memory#1 was made by cuMemAlloc_v2, call 4 of thread 1, at <place>\n",
        "CUSHIM-leak-memory: memory#2, 24 bytes, is never freed\n"
        "  memory#2 was made by cuMemAllocManaged, call 5 of thread 1, at <place>\n",
        "CUSHIM-leak-memory: memory#3, 32 bytes, is never freed\n"
        "  memory#3 was made by cuMemHostAlloc, call 6 of thread 1, at <place>\n",
    };
    CUdeviceptr device, managed, pitched;
    const char *text;
    size_t pitch;
    void *host;

    testkit_enter();
    OK(driver->MemAlloc_v2(&device, 1000));
    OK(driver->MemAllocManaged(&managed, 24, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemHostAlloc(&host, 32, 0));
    OK(driver->MemAllocPitch_v2(&pitched, &pitch, 100, 3, 4));
    OK(driver->MemFree_v2(pitched));
    OK(driver->CtxSetCurrent(NULL));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    text = said();
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++)
        CONTAINS(text, leaks[i]);
    LACKS(said(), "current");
}

TEST(leaks_of_one_place_are_counted)
{
    CUevent event;

    testkit_enter();
    for (unsigned i = 0; i < 20; i++)
        OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(said(), "cushim: warning: CUSHIM-leak-event: event#1 is never destroyed\n");
    CONTAINS(said(), "at <place>\n  20 times\n");
    LACKS(said(), "event#2");
}

TEST(what_is_destroyed_with_its_context_is_not_leaked)
{
    CUcontext context;
    CUdeviceptr address;
    CUfunction function;
    CUmodule module;
    CUstream stream;
    CUevent event;

    OK(driver->Init(0));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->MemAlloc_v2(&address, 64));
    OK(driver->ModuleLoadData(&module, testkit_image));
    OK(driver->ModuleGetFunction(&function, module, "cushim_spin"));
    OK(driver->CtxDestroy_v2(context));
    if (testkit_end() != CUDA_SUCCESS)
        fail_msg("%s", testkit_text);
}

TEST(primary_context_retained_more_than_released_is_leaked)
{
    CUcontext context;

    OK(driver->Init(0));
    for (unsigned i = 0; i < 3; i++)
        OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(said(),
                        "cushim: warning: CUSHIM-leak-context: context#1 is never released\n"
                        "  context#1 was made by cuDevicePrimaryCtxRetain, call 4 of "
                        "thread 1, at <place>\n");
}

TEST(pinned_reference_is_not_reported_as_the_programs)
{
    CUcontext context;

    OK(driver->Init(0));
    cushim__pins_begin();
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    cushim__pins_ignore();
    cushim__pins_end();
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(said(),
                        "cushim: warning: CUSHIM-leak-context: context#1 is never released\n"
                        "  context#1 was made by cuDevicePrimaryCtxRetain, call 2 of "
                        "thread 1, at <place>\n");
}

TEST(work_that_is_pending_is_reported)
{
    CUevent event;

    testkit_enter();
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventRecord(event, NULL));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxSetCurrent(NULL));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(said(), "1 operation is pending: nobody has waited for it\n");
}

TEST(misuses_are_reported)
{
    OK(driver->Init(0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery((CUevent)0x1234));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(said(), "cushim: error: CUSHIM-handle-unknown: cuEventQuery: 0x1234 is "
                                "not the handle of an event\n"
                                "  in   cuEventQuery(hEvent=event#1), call 2 of thread 1, at "
                                "<place>\n");
}

TEST(text_that_does_not_fit_says_so)
{
    char small[21];

    OK(driver->Init(0));
    driver->EventQuery((CUevent)0x1234);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_test_end(testkit, small, sizeof small));
    assert_string_equal(small, "cushim: error: C...\n");
    testkit_begin(&manual);
    driver->Init(0);
    driver->EventQuery((CUevent)0x1234);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_test_end(testkit, NULL, 0));
}

/* On a driver; another mock has that role. */
TEST(context_that_was_current_before_is_not_reported)
{
    const struct cushim_test_options options = {.size = sizeof options, .on_driver = true};
    struct cushim_mock *own;
    CUcontext before, popped;
    CUevent event;

    OK(testkit_end());
    OK(cushim_mock_create(NULL, &own));
    OK(cushim_mock_install(own));
    OK(cushim_driver()->Init(0));
    OK(cushim_driver()->DevicePrimaryCtxRetain(&before, 0));
    OK(cushim_driver()->CtxPushCurrent_v2(before));
    testkit_begin(&options);
    assert_null(mock);
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    OK(testkit_end());
    testkit_begin(&options);
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(said(), "cushim: warning: CUSHIM-leak-event: event#1 is never destroyed\n"
                                "  event#1 was made by cuEventCreate, call 1 of thread 1, at "
                                "<place>\n");
    OK(cushim_driver()->EventDestroy_v2(event));
    OK(cushim_driver()->CtxPopCurrent_v2(&popped));
    OK(cushim_driver()->DevicePrimaryCtxRelease_v2(0));
    OK(cushim_mock_destroy(own));
}

static uintptr_t came_back_to;

__attribute__((noinline)) static void leak_event(void)
{
    CUevent event;

    came_back_to = (uintptr_t)__builtin_return_address(0);
    OK(driver->EventCreate(&event, 0));
    assert_non_null(event);
}

/* The size of its code in bytes, with a sanitizer. */
enum { MOST_OF_LEAK = 1000 };

TEST(call_site_is_that_of_the_call_and_its_callers)
{
    struct cushim__code_file file;
    unsigned long long call, caller;
    char name[2][64];
    const char *printed;

    testkit_enter();
    leak_event();
    OK(driver->CtxSetCurrent(NULL));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    testkit_enter();
    leak_event();
    testkit_leave();
    testkit_enter();
    leak_event();
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    printed = strstr(testkit_text, "event#3 was made by cuEventCreate");
    assert_non_null(printed);
    printed = strstr(printed, " at ");
    if (!UNWINDS) { /* the toolchain cannot unwind, so cushim_test_end() cannot either */
        assert_int_equal(strncmp(printed, " at an unknown place\n", 21), 0);
        return;
    }
    assert_int_equal(
        sscanf(printed, " at %63[^+]+0x%llx %63[^+]+0x%llx", name[0], &call, name[1], &caller), 4);
    cushim__code_file_find(came_back_to - 1, &file);
    assert_string_equal(name[0], file.name);
    assert_string_equal(name[1], file.name);
    assert_int_equal(caller, file.offset);
    assert_in_range(call + file.base, (uintptr_t)leak_event, (uintptr_t)leak_event + MOST_OF_LEAK);
}

/* The verdict of a test on misuse that is on a line each, and on objects without a tag. */

TEST(misuse_is_reported_once_for_each_place)
{
    OK(driver->Init(0));
    for (uintptr_t i = 1; i <= 20; i++)
        CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery((CUevent)(0x1000 + i)));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery((CUevent)0x2000));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(testkit_text, "cuEventQuery: 0x1001 is not the handle of an event\n");
    CONTAINS(testkit_text, "\n  20 times\n");
    CONTAINS(testkit_text, "cuEventQuery: 0x2000 is not the handle of an event\n");
    LACKS(testkit_text, "0x1002");
}

/* Created below the layer, such as by a library that has its own access to the driver. */
TEST(context_without_a_tag_that_is_left_current_is_reported)
{
    CUcontext context;

    OK(driver->Init(0));
    OK(cushim_layer_wrapped(layer)->CtxCreate_v2(&context, 0, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(testkit_text, "a context is left current for this thread\n");
}
