/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execute programs on the driver of this machine or on the mock.
 *
 * A child process does the work. It is replaced when a kernel faults, when the driver's compiler
 * crashes, and when it makes no progress for a while, so that a bad kernel affects no other kernel.
 */
#define _DEFAULT_SOURCE
#include "driver.h"

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results.h"

enum { WORKERS = 8, TOGETHER = 20, PATIENCE_SECONDS = 60, NEXT_CHILD = 3 };

/*
 * The progress of a child: the kernels before `done` have a record, and each kernel before `alone`
 * gets a module of its own.
 */
struct progress {
    size_t done, alone, end;
};

static struct {
    const struct programs *programs;
    struct progress *progress;
    int file;
    bool mock;
    CUdeviceptr operands, results;
    uint64_t *slots;
    unsigned char *packed;
} run;

static void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, (int)result);
        exit(2);
    }
}

static void done(size_t kernel)
{
    run.progress->done = kernel + 1;
}

static void refuse(size_t kernel, const char *text, CUresult result)
{
    char line[512];

    snprintf(line, sizeof line, "%d: %.*s", (int)result, (int)strcspn(text, "\n"), text);
    results_write_text(run.file, kernel, REFUSED, line);
    done(kernel);
}

/* A fault makes the context unusable, so another process continues. */
static void fault(size_t kernel, CUresult result)
{
    char line[64];

    snprintf(line, sizeof line, "%d", (int)result);
    results_write_text(run.file, kernel, FAULTED, line);
    done(kernel);
    _exit(NEXT_CHILD);
}

static void execute(size_t index, CUmodule module)
{
    const struct cushim_table *const cu = cushim_driver();
    const struct kernel *const kernel = &run.programs->kernels[index];
    const size_t bytes = (size_t)kernel->count * kernel->result_count * 8;
    void *parameters[] = {&run.operands, &run.results};
    CUfunction function;
    CUresult result = cu->ModuleGetFunction(&function, module, kernel->entry);

    if (result != CUDA_SUCCESS) {
        refuse(index, "cuModuleGetFunction", result);
        return;
    }
    operands_fill(kernel, run.programs->seed, run.slots);
    if (kernel->operand_count)
        must(cu->MemcpyHtoD_v2(run.operands, run.slots,
                               (size_t)kernel->count * kernel->operand_count * 8),
             "cuMemcpyHtoD");
    must(cu->MemsetD8_v2(run.results, 0xa5, bytes), "cuMemsetD8");
    result = cu->LaunchKernel(function, kernel->count / kernel->block, 1, 1, kernel->block, 1, 1, 0,
                              NULL, parameters, NULL);
    if (result != CUDA_SUCCESS) {
        refuse(index, "cuLaunchKernel", result);
        return;
    }
    result = cu->CtxSynchronize();
    if (result == CUDA_SUCCESS)
        result = cu->MemcpyDtoH_v2(run.slots, run.results, bytes);
    if (result != CUDA_SUCCESS)
        fault(index, result);
    results_pack(kernel, run.slots, run.packed);
    results_write(run.file, index, COMPUTED, run.packed, results_bytes(kernel));
    done(index);
}

static CUresult load(CUmodule *module, size_t first, size_t last, char *log, size_t room)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)room};
    char *text = module_text(run.programs, first, last);
    CUresult result;

    log[0] = '\0';
    result = cushim_driver()->ModuleLoadDataEx(module, text, 2, options, values);
    free(text);
    return result;
}

static void several(size_t first, size_t last)
{
    static char log[4096];
    CUmodule module;
    CUresult result;

    alarm(PATIENCE_SECONDS);
    result = load(&module, first, last, log, sizeof log);
    if (result == CUDA_SUCCESS) {
        for (size_t i = first; i < last; i++) {
            alarm(PATIENCE_SECONDS);
            execute(i, module);
        }
        must(cushim_driver()->ModuleUnload(module), "cuModuleUnload");
    } else if (last - first == 1) {
        refuse(first, log, result);
    } else {
        for (size_t i = first; i < last; i++)
            several(i, i + 1);
    }
}

static void child(void)
{
    const struct cushim_table *cu;
    struct cushim_mock *mock;
    CUdevice device;
    CUcontext context;

    if (run.mock) {
        must(cushim_mock_create(NULL, &mock), "cushim_mock_create");
        must(cushim_mock_install(mock), "cushim_mock_install");
    } else {
        cushim_driver_init(NULL);
    }
    cu = cushim_driver();
    must(cu->Init(0), "cuInit");
    must(cu->DeviceGet(&device, 0), "cuDeviceGet");
    must(cu->DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cu->CtxSetCurrent(context), "cuCtxSetCurrent");
    must(cu->MemAlloc_v2(&run.operands, BUFFER_BYTES), "cuMemAlloc");
    must(cu->MemAlloc_v2(&run.results, BUFFER_BYTES), "cuMemAlloc");
    run.slots = must_allocate(BUFFER_BYTES);
    run.packed = must_allocate(BUFFER_BYTES);
    while (run.progress->done < run.progress->end) {
        const size_t first = run.progress->done, left = run.progress->end - first;

        if (first < run.progress->alone) {
            several(first, first + 1);
        } else {
            run.progress->alone = first + (left < TOGETHER ? left : TOGETHER);
            several(first, run.progress->alone);
        }
    }
    exit(0);
}

/* Run the kernels of one worker, in one child after the other. */
static bool supervise(void)
{
    unsigned failures_in_a_row = 0;

    while (run.progress->done < run.progress->end) {
        const struct progress before = *run.progress;
        const pid_t pid = fork();
        int status;

        if (pid == 0)
            child();
        if (pid < 0 || waitpid(pid, &status, 0) != pid) {
            perror("fork");
            return false;
        }
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NEXT_CHILD)) {
            failures_in_a_row = 0;
            continue;
        }
        /* The child died. The first time, try each kernel of the module in a module of its own. */
        if (WIFEXITED(status) && run.progress->done == before.done && ++failures_in_a_row == 3)
            return false;
        if (before.done == run.progress->done && before.alone == run.progress->alone) {
            char text[64];

            snprintf(text, sizeof text, "the process ended with status 0x%x", (unsigned)status);
            results_write_text(run.file, run.progress->done, FAULTED, text);
            run.progress->done++;
        }
    }
    return true;
}

bool driver_run(const struct programs *programs, const char *path, bool mock)
{
    struct progress *progress = mmap(NULL, WORKERS * sizeof *progress, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool well = progress != MAP_FAILED;
    pid_t workers[WORKERS];

    results_begin(path, programs);
    run.file = results_continue(path);
    run.programs = programs;
    run.mock = mock;
    fflush(NULL);
    for (size_t i = 0; well && i < WORKERS; i++) {
        run.progress = &progress[i];
        run.progress->done = programs->count * i / WORKERS;
        run.progress->end = programs->count * (i + 1) / WORKERS;
        workers[i] = fork();
        if (workers[i] == 0)
            _exit(supervise() ? 0 : 1);
        well = workers[i] > 0;
    }
    for (size_t i = 0; well && i < WORKERS; i++) {
        int status;

        well = waitpid(workers[i], &status, 0) == workers[i] && status == 0;
    }
    return well;
}
