/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/fixture.h"

#include "tests/support/environment.h"
#include "tests/support/ptx.h"

struct cushim_mock *fixture_mock;
const struct cushim_table *driver;

static CUfunction spin;

static const char image[] = PTX_HEAD PTX_SPIN;

void fixture_begin(const char *settings)
{
    CUcontext context;
    CUmodule module;

    bare_begin(settings);
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->CtxPushCurrent_v2(context));
    /* Load the module now, because loading waits for all work of the context. */
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&spin, module, "cushim_spin"));
}

void fixture_end(void)
{
    struct cushim_mock_state state;
    CUcontext context;

    OK(cushim_mock_drain(fixture_mock));
    driver->CtxPopCurrent_v2(&context);
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    state = fixture_state();
    assert_int_equal(state.misuses, 0);
    assert_int_equal(state.handles, 0);
    assert_int_equal(state.allocations, 0);
    OK(cushim_mock_destroy(fixture_mock));
    fixture_mock = NULL;
}

int fixture_auto(void **state)
{
    fixture_begin("mode = auto");
    return 0;
}

int fixture_manual(void **state)
{
    fixture_begin("mode = manual");
    return 0;
}

int fixture_with(void **state)
{
    fixture_begin(*state);
    return 0;
}

int fixture_done(void **state)
{
    fixture_end();
    return 0;
}

const char *fixture_misuse(size_t index)
{
    static char text[1200];
    const char *misuse = cushim_mock_misuse(fixture_mock, index);
    char *call;

    if (!misuse)
        return NULL;
    misuse = strstr(misuse, ": error: ");
    assert_non_null(misuse);
    snprintf(text, sizeof text, "%s", misuse + strlen(": error: "));
    call = strstr(text, "; in cu");
    assert_non_null(call);
    CONTAINS(call, " of thread 1, at ");
    CONTAINS(call, "; rule: ");
    *call = '\0';
    return text;
}

struct cushim_mock_state fixture_state(void)
{
    struct cushim_mock_state state = {.size = sizeof state};

    OK(cushim_mock_get_state(fixture_mock, &state));
    return state;
}

char fixture_logged[4096];
unsigned fixture_lines;

static void keep_line(void *data, const char *line)
{
    const size_t length = strlen(fixture_logged);

    snprintf(fixture_logged + length, sizeof fixture_logged - length, "%s\n", line);
    fixture_lines++;
}

void fixture_log(void)
{
    fixture_logged[0] = '\0';
    fixture_lines = 0;
    cushim_mock_set_log(fixture_mock, keep_line, NULL);
}

CUstream fixture_stream(void)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUevent fixture_event(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_DEFAULT));
    return event;
}

void fixture_spin(CUstream stream, uint64_t ns)
{
    void *parameters[] = {&ns};

    OK(driver->LaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

float fixture_spin_ms(CUstream stream, uint64_t ns)
{
    CUevent start = fixture_event(), end = fixture_event();
    float ms = -1;

    OK(driver->EventRecord(start, stream));
    fixture_spin(stream, ns);
    OK(driver->EventRecord(end, stream));
    OK(driver->EventSynchronize(end));
    OK(driver->EventElapsedTime(&ms, start, end));
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
    return ms;
}

/* --- before there is a context --- */

void bare_create(const char *settings)
{
    char message[200] = "";
    const struct cushim_mock_options options = {
        .size = sizeof options,
        .settings = settings,
        .message = message,
        .message_size = sizeof message,
    };

    if (cushim_mock_create(&options, &fixture_mock) != CUDA_SUCCESS)
        fail_msg("%s", message);
    driver = cushim_mock_table(fixture_mock);
}

void bare_begin(const char *settings)
{
    bare_create(settings);
    OK(driver->Init(0));
}

void bare_end(void)
{
    struct cushim_mock *mock = fixture_mock;

    fixture_mock = NULL;
    OK(cushim_mock_destroy(mock));
}

int bare_setup(void **state)
{
    environment_set("CUDA_VISIBLE_DEVICES", NULL);
    return 0;
}

int bare_teardown(void **state)
{
    const CUresult code = cushim_mock_destroy(fixture_mock);

    fixture_mock = NULL;
    environment_set("CUDA_VISIBLE_DEVICES", NULL);
    return code != CUDA_SUCCESS;
}

CUuuid bare_uuid(CUdevice device)
{
    CUuuid uuid;

    OK(driver->DeviceGetUuid_v2(&uuid, device));
    return uuid;
}

bool bare_same_uuid(CUuuid one, CUuuid other)
{
    return memcmp(&one, &other, sizeof one) == 0;
}

/* --- kernels --- */

CUmodule kernel_module;
CUstream kernel_stream;

int kernel_begin(const char *settings, const char *ptx)
{
    fixture_begin(settings);
    OK(driver->ModuleLoadData(&kernel_module, ptx));
    kernel_stream = fixture_stream();
    return 0;
}

CUfunction kernel_find(const char *name)
{
    CUfunction function = NULL;

    OK(driver->ModuleGetFunction(&function, kernel_module, name));
    return function;
}

CUresult kernel_launch(CUfunction function, void **parameters, void **extra)
{
    return driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, kernel_stream, parameters, extra);
}

/* --- captures --- */

static void CUDA_CB do_nothing(void *data)
{
}

void capture_begin(CUstream stream)
{
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

CUgraph capture_end(CUstream stream)
{
    CUgraph graph = NULL;

    OK(driver->StreamEndCapture(stream, &graph));
    assert_non_null(graph);
    return graph;
}

void capture_work(CUstream stream)
{
    OK(driver->LaunchHostFunc(stream, do_nothing, NULL));
}

CUstreamCaptureStatus capture_status(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    OK(driver->StreamIsCapturing(stream, &status));
    return status;
}

CUdeviceptr fixture_map(unsigned pages, unsigned page, CUmemAccess_flags flags)
{
    const CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = device};
    const CUmemAccessDesc access = {.location = device, .flags = flags};
    CUmemGenericAllocationHandle physical;
    CUdeviceptr start, mapped;

    OK(driver->MemAddressReserve(&start, (size_t)pages * FIXTURE_PAGE, 0, 0, 0));
    mapped = start + (size_t)page * FIXTURE_PAGE;
    OK(driver->MemCreate(&physical, FIXTURE_PAGE, &prop, 0));
    OK(driver->MemMap(mapped, FIXTURE_PAGE, 0, physical, 0));
    OK(driver->MemRelease(physical));
    OK(driver->MemSetAccess(mapped, FIXTURE_PAGE, &access, 1));
    return start;
}

void fixture_unmap(CUdeviceptr start, unsigned pages)
{
    OK(driver->MemUnmap(start, (size_t)pages * FIXTURE_PAGE));
    OK(driver->MemAddressFree(start, (size_t)pages * FIXTURE_PAGE));
}
