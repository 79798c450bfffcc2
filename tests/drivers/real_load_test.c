/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's own drivers: each can be loaded by every route, and the report is right. */
#include "loader/symbols.h"
#include "src/base/system.h"
#include "tests/drivers/real.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"

static void check_loaded(const struct generation *generation, enum route route)
{
    const struct cushim_report report = route_report();

    check_int(report.state, CUSHIM_STATE_LOADED);
    check_int(report.code, CUDA_SUCCESS);
    check_int(report.driver_version, generation->version);
    check_text(report.advice, "");
    check(cushim__system_path_is_same_file(report.library, real_library(generation)));
    check_int(report.candidate_count, 1);
    check_int(report.candidates[0].origin, route_origin(route));
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_LOADED);
    check_int(report.candidates[0].version, generation->version);
    /* The driver is loaded, but not initialised. */
    check_int(cushim_driver()->CtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
}

/* The result of an old driver on a machine with a GPU is undefined. */
static void check_refuses_init(const struct generation *generation, CUresult code)
{
    const struct cushim_report report = route_report();

    check_int(report.code, code);
    if (!real_without_gpu())
        return;
    check_int(code, generation->init);
    check_int(report.init_process, 0);
    if (generation->init == CUDA_ERROR_NO_DEVICE) {
        check_int(report.state, CUSHIM_STATE_NO_DEVICE);
        check_contains(report.reason, "but cuInit returned 100 CUDA_ERROR_NO_DEVICE");
        check_contains(report.advice, "nvidia-smi");
    } else {
        check_int(report.state, CUSHIM_STATE_INIT_FAILED);
        check_contains(report.reason, "but cuInit returned 999 CUDA_ERROR_UNKNOWN");
        check_text(report.advice, cushim_error_advice(CUDA_ERROR_UNKNOWN));
    }
}

static void load_and_initialise(const struct generation *generation, enum route route)
{
    struct cushim_load_options options;

    route_prepare(route, real_library(generation), &options);
    check_int(route_report().state, CUSHIM_STATE_UNTRIED);
    check_int(cushim_driver_load(&options), CUDA_SUCCESS);
    check_loaded(generation, route);
    check_refuses_init(generation, cushim_driver_init(&options));
}

TEST_ALONE(every_generation_loads_by_every_route_and_refuses_init_without_a_gpu)
{
    for (enum route route = ROUTE_OPTION; route < ROUTE_COUNT; route++)
        assert_int_equal(real_each(route), 0);
}

int main(int argc, char **argv)
{
    const int status = real_begin(argc, argv, load_and_initialise);

    return status ? status : run_all_tests(NULL, NULL);
}
