/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <cstdio>

cushim_mock *mock;
static unsigned failures;

void check_claim(bool is_true, const char *claim, const char *file, int line)
{
    if (is_true)
        return;
    std::printf("%s:%d: it is not so that %s\n", file, line, claim);
    failures++;
}

void check_code(CUresult expected, CUresult code, const char *call, const char *file, int line)
{
    if (code == expected)
        return;
    std::printf("%s:%d: %s returns %s, not %s\n", file, line, call, cushim_error_name(code),
                cushim_error_name(expected));
    failures++;
}

std::size_t handles()
{
    cushim_mock_state state = CUSHIM_MOCK_STATE_INIT;

    OK(cushim_mock_get_state(mock, &state));
    return state.handles;
}

CUcontext current()
{
    CUcontext handle = nullptr;

    OK(cushim_driver()->CtxGetCurrent(&handle));
    return handle;
}

static void CUDA_CB do_nothing(void *)
{
}

fixture::fixture()
    : context(TAKE(cushim::context::retain_primary(0))),
      stream(TAKE(cushim::stream::create(context)))
{
}

void fixture::queue() const
{
    OK(stream.launch_host_function(do_nothing, nullptr));
}

int run_cases(const test_case *first, std::size_t count)
{
    for (const test_case *test = first; test < first + count; test++) {
        const unsigned before = failures;
        cushim_mock_options options = CUSHIM_MOCK_OPTIONS_INIT;

        options.settings = "mode = manual";
        OK(cushim_mock_create(&options, &mock));
        OK(cushim_mock_install(mock));
        OK(cushim_driver_init(nullptr));
        test->run();
        CHECK(handles() == 0);
        OK(cushim_mock_destroy(mock));
        std::printf("%s %s\n", failures == before ? "ok    " : "FAILED", test->name);
    }
    std::printf("%zu tests, %u failures\n", count, failures);
    return count == 0 || failures != 0;
}
