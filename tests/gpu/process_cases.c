/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the modules in a forked child. Statement 9. */
#include <sys/wait.h>
#include <unistd.h>

#include "begin.h"
#include "cases.h"
#include "check.h"

static void forked_child_is_refused(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    int status = 0;
    pid_t child;

    OK(cushim_event_record(event, stream));
    OK(cushim_event_synchronize(event));
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct cushim_event *made = NULL;
        int count = -5;

        CODE(CUDA_ERROR_NOT_INITIALIZED, begin_driver());
        CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_device_count(&count));
        CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_event_create(&made, context, NULL));
        CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_event_query(event));
        CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_event_record(event, stream));
        OK(cushim_event_release(event)); /* gone with the process that made it */
        OK(cushim_stream_release(stream));
        OK(cushim_context_release(context));
        pass();
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == CASE_PASSED);
    OK(cushim_event_record(event, stream));
    OK(cushim_event_synchronize(event));
    OK(cushim_event_release(event));
    OK(cushim_stream_release(stream));
    OK(cushim_context_release(context));
}

const struct gpu_case process_cases[] = {
    {"process_9_forked_child_is_refused", forked_child_is_refused},
    {NULL, NULL},
};
