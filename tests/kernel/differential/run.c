/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execute programs on the driver of this machine or on the mock.
 *
 * A child process does the work. It is replaced when a kernel faults, when the driver's compiler
 * crashes, and when a GPU makes no progress for a while, so that a bad kernel affects no other one.
 */
#define _DEFAULT_SOURCE
#include "run.h"

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOGETHER = 20, PATIENCE_SECONDS = 60, NEXT_CHILD = 3 };

/*
 * The progress of the children: the kernels before `done` are finished, and each kernel before
 * `alone` gets a module of its own.
 */
struct progress {
    size_t done, alone;
};

static struct {
    const struct programs *programs;
    const char *only;
    visitor *visit;
    bool mock;
    struct progress *progress;
    CUdeviceptr operands, results;
    uint64_t *slots;
    unsigned char *packed;
} job;

void *must_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return memory;
}

static void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, (int)result);
        exit(2);
    }
}

/* What is printed must not be lost with this process. */
static void finish(size_t kernel, const unsigned char *results, const char *why)
{
    job.visit(job.programs, kernel, results, why);
    fflush(stdout);
    job.progress->done = kernel + 1;
}

static void refuse(size_t kernel, const char *text, CUresult result)
{
    char line[512];

    snprintf(line, sizeof line, "refused: %d: %.*s", (int)result, (int)strcspn(text, "\n"), text);
    finish(kernel, NULL, line);
}

static void execute(size_t index, CUmodule module)
{
    const struct cushim_table *const cu = cushim_driver();
    const struct kernel *const kernel = &job.programs->kernels[index];
    const size_t bytes = (size_t)kernel->count * kernel->result_count * 8;
    void *parameters[] = {&job.operands, &job.results};
    char line[64];
    CUfunction function;
    CUresult result = cu->ModuleGetFunction(&function, module, kernel->entry);

    if (result != CUDA_SUCCESS) {
        refuse(index, "cuModuleGetFunction", result);
        return;
    }
    operands_fill(kernel, job.programs->seed, job.slots);
    if (kernel->operand_count)
        must(cu->MemcpyHtoD_v2(job.operands, job.slots,
                               (size_t)kernel->count * kernel->operand_count * 8),
             "cuMemcpyHtoD");
    must(cu->MemsetD8_v2(job.results, 0xa5, bytes), "cuMemsetD8");
    result = cu->LaunchKernel(function, kernel->count / kernel->block, 1, 1, kernel->block, 1, 1, 0,
                              NULL, parameters, NULL);
    if (result != CUDA_SUCCESS) {
        refuse(index, "cuLaunchKernel", result);
        return;
    }
    result = cu->CtxSynchronize();
    if (result == CUDA_SUCCESS)
        result = cu->MemcpyDtoH_v2(job.slots, job.results, bytes);
    if (result == CUDA_SUCCESS) {
        results_pack(kernel, job.slots, job.packed);
        finish(index, job.packed, NULL);
        return;
    }
    /* A fault makes the context unusable, so another process continues. */
    snprintf(line, sizeof line, "a fault: %d", (int)result);
    finish(index, NULL, line);
    _exit(NEXT_CHILD);
}

static CUresult load(CUmodule *module, size_t first, size_t last, char *log, size_t room)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)room};
    char *text = module_text(job.programs, first, last);
    CUresult result;

    log[0] = '\0';
    result = cushim_driver()->ModuleLoadDataEx(module, text, 2, options, values);
    free(text);
    return result;
}

/* A GPU's compiler may hang; the mock ends, however slow its build is. */
static void be_patient(void)
{
    if (!job.mock)
        alarm(PATIENCE_SECONDS);
}

static bool wanted(size_t kernel)
{
    return job.only[0] == '\0' || strcmp(job.programs->kernels[kernel].name, job.only) == 0;
}

static void several(size_t first, size_t last)
{
    static char log[4096];
    CUmodule module;
    CUresult result;

    be_patient();
    result = load(&module, first, last, log, sizeof log);
    if (result == CUDA_SUCCESS) {
        for (size_t i = first; i < last; i++) {
            be_patient();
            if (wanted(i))
                execute(i, module);
            job.progress->done = i + 1;
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

    if (job.mock) {
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
    must(cu->MemAlloc_v2(&job.operands, BUFFER_BYTES), "cuMemAlloc");
    must(cu->MemAlloc_v2(&job.results, BUFFER_BYTES), "cuMemAlloc");
    job.slots = must_allocate(BUFFER_BYTES);
    job.packed = must_allocate(BUFFER_BYTES);
    while (job.progress->done < job.programs->count) {
        const size_t first = job.progress->done, left = job.programs->count - first;

        if (first < job.progress->alone) {
            several(first, first + 1);
        } else {
            job.progress->alone = first + (left < TOGETHER ? left : TOGETHER);
            several(first, job.progress->alone);
        }
    }
    exit(0);
}

bool run(const struct programs *programs, bool mock, const char *only, visitor *visit)
{
    unsigned failures_in_a_row = 0;

    job.programs = programs;
    job.mock = mock;
    job.only = only;
    job.visit = visit;
    job.progress = must_share(sizeof *job.progress);
    while (job.progress->done < programs->count) {
        const struct progress before = *job.progress;
        pid_t pid;
        int status;

        fflush(NULL);
        pid = fork();
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
        if (WIFEXITED(status) && job.progress->done == before.done && ++failures_in_a_row == 3)
            return false;
        if (before.done == job.progress->done && before.alone == job.progress->alone) {
            char text[64];

            snprintf(text, sizeof text, "the process ended with status 0x%x", (unsigned)status);
            finish(job.progress->done, NULL, text);
        }
    }
    return true;
}
