/* SPDX-License-Identifier: Apache-2.0 */
/* Children that are forked and do not start anew. Statement 9. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "tests/support/counters.h"

/* What a forked child, which does not start anew, has met. */
struct forked {
    CUresult init, count, create;
    bool untouched; /* what EventCreate() should have made */
};

/* Fork, and do it there. Returns how the child ended (wait status). */
static int do_in_fork(void (*deed)(void *data, int end), void *data, void *met, size_t size)
{
    int ends[2], status = 0;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0)
        fail("no child can be had");
    if (child == 0) {
        alarm(20);
        deed(data, ends[1]);
        counters_write();
        _exit(0);
    }
    close(ends[1]);
    memset(met, 0xff, size);
    if (read(ends[0], met, size) < 0)
        fail("the child cannot be heard");
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        fail("the child is lost");
    return status;
}

/* From the child to its parent. */
static void answer(int end, const void *met, size_t size)
{
    if (write(end, met, size) != (ssize_t)size)
        _exit(1);
}

static void begin_anew(void *data, int end)
{
    CUevent made = data;
    struct forked met;
    int devices = 0;

    memset(&met, 0, sizeof met); /* and what lies between its members */
    met.init = cu->Init(0);
    met.count = cu->DeviceGetCount(&devices);
    met.create = cu->EventCreate(&made, 0);
    met.untouched = made == data;
    answer(end, &met, sizeof met);
}

static void query_inherited(void *data, int end)
{
    CUresult code = cu->EventQuery(data);

    answer(end, &code, sizeof code);
}

static void forked_child_is_not_initialised(void)
{
    struct forked met;
    CUevent event;

    begin_context();
    event = begin_done();
    EQUAL(0, do_in_fork(begin_anew, event, &met, sizeof met));
    CODE(CUDA_ERROR_NOT_INITIALIZED, met.init);
    CODE(CUDA_ERROR_NOT_INITIALIZED, met.count);
    CODE(CUDA_ERROR_NOT_INITIALIZED, met.create);
    CHECK(met.untouched);
    OK(cu->EventQuery(event)); /* the parent is as before */
    OK(cu->EventDestroy_v2(event));
}

static void inherited_event_is_undefined(void)
{
    CUresult code;
    CUevent event;
    int status;

    begin_context();
    event = begin_done();
    status = do_in_fork(query_inherited, event, &code, sizeof code);
    if (WIFSIGNALED(status)) {
        detail("signal %d", WTERMSIG(status));
        CHECK(!backend_is_mock());
        EQUAL(SIGSEGV, WTERMSIG(status));
    } else {
        ONE_OF(code, CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED);
    }
    OK(cu->EventQuery(event));
}

const struct conformance_case fork_cases[] = {
    MEASURED_CASE("009_forked_child_is_not_initialised", forked_child_is_not_initialised),
    MEASURED_CASE("009_inherited_event_is_undefined", inherited_event_is_undefined),
    {.name = NULL},
};
