/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/layer/testkit.h"
#include "src/layer/handle_table.h"
#include "tests/support/ptx.h"

struct cushim_test *testkit;
struct cushim_mock *mock;
struct cushim_layer *layer;
const struct cushim_table *driver;
char testkit_text[1 << 14];

const char testkit_image[] = PTX_HEAD PTX_SPIN;

void testkit_enter(void)
{
    CUcontext context;

    OK(driver->Init(0));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->CtxPushCurrent_v2(context));
}

void testkit_leave(void)
{
    CUcontext context;

    OK(driver->CtxPopCurrent_v2(&context));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
}

void testkit_begin(const struct cushim_test_options *options)
{
    char message[200] = "";
    struct cushim_test_options known = *options;

    known.message = message;
    known.message_size = sizeof message;
    if (cushim_test_begin(&known, &testkit) != CUDA_SUCCESS)
        fail_msg("%s", message);
    mock = cushim_test_mock(testkit);
    layer = cushim_test_layer(testkit);
    driver = cushim_layer_table(layer);
}

CUresult testkit_end(void)
{
    const CUresult code = cushim_test_end(testkit, testkit_text, sizeof testkit_text);

    testkit = NULL;
    mock = NULL;
    layer = NULL;
    return code;
}

int testkit_gone(void **state)
{
    assert_null(cushim_mock_current());
    assert_null(cushim_layer_current());
    return 0;
}

static void begin(const char *settings)
{
    testkit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options),
                                                .settings = settings});
    testkit_enter();
}

static void end(void)
{
    testkit_leave();
    if (testkit_end() != CUDA_SUCCESS)
        fail_msg("%s", testkit_text);
}

int testkit_setup(void **state)
{
    begin("mode = manual");
    return 0;
}

int testkit_teardown(void **state)
{
    end();
    return 0;
}

void testkit_again(const char *settings)
{
    end();
    begin(settings);
}

struct cushim_recorded_call testkit_call(size_t index)
{
    struct cushim_recorded_call read = {.size = sizeof read};

    OK(cushim_recording_get_call(layer, index, &read));
    return read;
}

void testkit_begin_on(const struct cushim_table *table)
{
    OK(cushim_table_install(table, NULL));
    testkit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options),
                                                .on_driver = true});
}

int testkit_end_on(void **state)
{
    OK(cushim_test_end(testkit, NULL, 0));
    OK(cushim_table_install(NULL, NULL));
    return 0;
}

const char *testkit_tag(const void *handle)
{
    static char text[CUSHIM_RECORDING_TAG_SIZE];

    return cushim_recording_get_tag(layer, handle, text, sizeof text) == CUDA_SUCCESS ? text
                                                                                      : "none";
}

struct testkit_counts testkit_count(void)
{
    struct testkit_counts counts = {.handles = 0};

    for (unsigned type = 0; type < CUSHIM__OBJECT_TYPES; type++) {
        const struct cushim__handle *object = NULL;

        while ((object = cushim__handle_next((enum cushim__object_type)type, object)) != NULL) {
            if (object->is_live)
                (*(type == CUSHIM__TYPE_MEMORY ? &counts.allocations : &counts.handles))++;
        }
    }
    return counts;
}
