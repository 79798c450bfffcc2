/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "job.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFERS = 16, PARAMETERS = 64, PARAMETER_BYTES = 1024 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const size_t sizes[] = {
    [BYTES] = 1, [SHORTS] = 2, [WORDS] = 4, [LONGS] = 8, [FLOATS] = 4, [DOUBLES] = 8};

struct buffer {
    enum kind kind;
    void *host;
    size_t count;
    CUdeviceptr device;
    double relative, absolute;
    bool uploaded, ignored;
    size_t structure; /* for structs with padding: bytes of one struct */
    uint64_t padding; /* bit n: byte n is padding */
};

struct job {
    const struct kernel_case *row;
    CUmodule module;
    CUfunction function;
    bool arrays;
    struct outcome outcome;
    struct buffer buffers[BUFFERS];
    size_t buffer_count;
    unsigned char parameters[PARAMETER_BYTES];
    size_t offsets[PARAMETERS], parameter_count, parameter_bytes;
    uint64_t state; /* of the random number generator */
    bool is_launched;
    int captured, descriptor;
    FILE *capture;
    char text[2000];
};

const struct cushim_table *cu;

void fail(struct job *job, const char *format, ...)
{
    va_list arguments;

    if (!job->outcome.well)
        return; /* the first reason is kept */
    job->outcome.well = false;
    va_start(arguments, format);
    vsnprintf(job->outcome.why, sizeof job->outcome.why, format, arguments);
    va_end(arguments);
}

static bool works(struct job *job, CUresult result, const char *what)
{
    const char *name = NULL;

    if (result == CUDA_SUCCESS)
        return true;
    cu->GetErrorName(result, &name);
    fail(job, "%s: %s", what, name ? name : "an unknown error");
    return false;
}

/* splitmix64 */
uint64_t random_bits(struct job *job)
{
    uint64_t z = job->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* --- parameters --- */

static void add_parameter(struct job *job, const void *value, size_t bytes)
{
    if (job->parameter_count == PARAMETERS || job->parameter_bytes + bytes > PARAMETER_BYTES) {
        fail(job, "too many parameters");
        return;
    }
    memcpy(job->parameters + job->parameter_bytes, value, bytes);
    job->offsets[job->parameter_count++] = job->parameter_bytes;
    job->parameter_bytes += bytes;
}

void number(struct job *job, int value)
{
    add_parameter(job, &value, sizeof value);
}

void number_long(struct job *job, uint64_t value)
{
    add_parameter(job, &value, sizeof value);
}

void number_float(struct job *job, float value)
{
    add_parameter(job, &value, sizeof value);
}

void number_double(struct job *job, double value)
{
    add_parameter(job, &value, sizeof value);
}

void structure(struct job *job, const void *value, size_t count)
{
    add_parameter(job, value, count);
}

static struct buffer *find_buffer(struct job *job, const void *host)
{
    for (size_t i = 0; i < job->buffer_count; i++) {
        if (job->buffers[i].host == host)
            return &job->buffers[i];
    }
    abort();
}

/*
 * An array of numba has two Python pointers, its length, the item size, the memory, its shape and a
 * stride.
 */
void buffer(struct job *job, const void *made_before)
{
    const struct buffer *of = find_buffer(job, made_before);
    const size_t size = sizes[of->kind];

    if (job->arrays) {
        number_long(job, 0);
        number_long(job, 0);
        number_long(job, of->count);
        number_long(job, size);
    }
    number_long(job, of->device);
    if (job->arrays) {
        number_long(job, of->count);
        number_long(job, size);
    }
}

static void *make(struct job *job, enum kind kind, size_t count)
{
    struct buffer *of = &job->buffers[job->buffer_count++];

    if (job->buffer_count > BUFFERS)
        abort();
    *of = (struct buffer){.kind = kind, .count = count, .host = calloc(count, sizes[kind])};
    if (!of->host)
        abort();
    works(job, cu->MemAlloc_v2(&of->device, count * sizes[kind]), "cuMemAlloc");
    buffer(job, of->host);
    return of->host;
}

static double random_number(struct job *job, double from, double to)
{
    return from + (to - from) * (double)(random_bits(job) >> 11) * 0x1p-53;
}

float *floats(struct job *job, size_t count, double from, double to)
{
    float *made = make(job, FLOATS, count);

    for (size_t i = 0; i < count; i++)
        made[i] = (float)random_number(job, from, to);
    return made;
}

double *doubles(struct job *job, size_t count, double from, double to)
{
    double *made = make(job, DOUBLES, count);

    for (size_t i = 0; i < count; i++)
        made[i] = random_number(job, from, to);
    return made;
}

static uint64_t random_below(struct job *job, uint64_t limit)
{
    const uint64_t bits = random_bits(job);

    return limit ? (bits >> 8) % limit : bits;
}

uint8_t *bytes(struct job *job, size_t count, unsigned limit)
{
    uint8_t *made = make(job, BYTES, count);

    for (size_t i = 0; i < count; i++)
        made[i] = (uint8_t)random_below(job, limit);
    return made;
}

uint16_t *shorts(struct job *job, size_t count, unsigned limit)
{
    uint16_t *made = make(job, SHORTS, count);

    for (size_t i = 0; i < count; i++)
        made[i] = (uint16_t)random_below(job, limit);
    return made;
}

uint32_t *words(struct job *job, size_t count, uint32_t limit)
{
    uint32_t *made = make(job, WORDS, count);

    for (size_t i = 0; i < count; i++)
        made[i] = (uint32_t)random_below(job, limit);
    return made;
}

uint64_t *longs(struct job *job, size_t count, uint64_t limit)
{
    uint64_t *made = make(job, LONGS, count);

    for (size_t i = 0; i < count; i++)
        made[i] = random_below(job, limit);
    return made;
}

void *room(struct job *job, size_t count)
{
    return make(job, BYTES, count);
}

void variable(struct job *job, const char *name, const void *value, size_t count)
{
    CUdeviceptr address;
    size_t size = 0;

    if (!works(job, cu->ModuleGetGlobal_v2(&address, &size, job->module, name), name))
        return;
    if (size != count)
        fail(job, "%s has %zu bytes", name, size);
    else
        works(job, cu->MemcpyHtoD_v2(address, value, count), "cuMemcpyHtoD");
}

void tolerate(struct job *job, const void *of, double relative, double absolute)
{
    find_buffer(job, of)->relative = relative;
    find_buffer(job, of)->absolute = absolute;
}

void ignore(struct job *job, const void *of)
{
    find_buffer(job, of)->ignored = true;
}

void ignore_padding(struct job *job, const void *of, size_t bytes, uint64_t padding)
{
    struct buffer *buffer = find_buffer(job, of);

    buffer->structure = bytes;
    buffer->padding = padding;
}

/* --- launches --- */

void next_kernel(struct job *job, const char *name)
{
    job->parameter_count = 0;
    job->parameter_bytes = 0;
    works(job, cu->ModuleGetFunction(&job->function, job->module, name), name);
}

static void upload(struct job *job)
{
    for (size_t i = 0; i < job->buffer_count; i++) {
        struct buffer *of = &job->buffers[i];

        if (!of->uploaded)
            works(job, cu->MemcpyHtoD_v2(of->device, of->host, of->count * sizes[of->kind]),
                  "cuMemcpyHtoD");
        of->uploaded = true;
    }
}

void launch_as(struct job *job, struct geometry at)
{
    void *parameters[PARAMETERS];
    CUresult result;

    upload(job);
    for (size_t i = 0; i < job->parameter_count; i++)
        parameters[i] = job->parameters + job->offsets[i];
    if (!job->outcome.well)
        return;
    if (at.cooperative)
        result = cu->LaunchCooperativeKernel(job->function, at.grid[0], at.grid[1], at.grid[2],
                                             at.block[0], at.block[1], at.block[2], at.shared, NULL,
                                             parameters);
    else
        result = cu->LaunchKernel(job->function, at.grid[0], at.grid[1], at.grid[2], at.block[0],
                                  at.block[1], at.block[2], at.shared, NULL, parameters, NULL);
    works(job, result, "cuLaunchKernel");
    result = cu->CtxSynchronize();
    job->is_launched = true;
    if (result != job->row->faults)
        works(job, result ? result : CUDA_ERROR_UNKNOWN, "cuCtxSynchronize");
}

void launch(struct job *job, unsigned blocks, unsigned threads)
{
    launch_as(job, (struct geometry){.grid = {blocks, 1, 1}, .block = {threads, 1, 1}});
}

/* --- printed output --- */

void capture_begin(struct job *job, int descriptor)
{
    fflush(NULL);
    job->descriptor = descriptor;
    job->captured = dup(descriptor);
    job->capture = tmpfile();
    if (!job->capture || job->captured < 0 || dup2(fileno(job->capture), descriptor) < 0)
        abort();
}

const char *capture_end(struct job *job)
{
    fflush(NULL);
    dup2(job->captured, job->descriptor);
    close(job->captured);
    rewind(job->capture);
    job->text[fread(job->text, 1, sizeof job->text - 1, job->capture)] = '\0';
    fclose(job->capture);
    return job->text;
}

/* --- comparison --- */

static double float_at(const struct buffer *of, const void *from, size_t i)
{
    return of->kind == FLOATS ? ((const float *)from)[i] : ((const double *)from)[i];
}

static bool is_near(const struct buffer *of, const void *result, size_t i)
{
    const double is = float_at(of, result, i), expected = float_at(of, of->host, i);

    return fabs(is - expected) <= of->absolute + of->relative * fabs(expected);
}

static void compare_element(struct job *job, const struct buffer *of, const void *result, size_t i)
{
    const size_t size = sizes[of->kind], at = (size_t)(of - job->buffers);
    uint64_t is = 0, expected = 0;

    if (memcmp((const char *)result + i * size, (const char *)of->host + i * size, size) == 0)
        return;
    if (of->kind == FLOATS || of->kind == DOUBLES) {
        if (!is_near(of, result, i))
            fail(job, "buffer %zu, number %zu is %.17g and not %.17g", at, i,
                 float_at(of, result, i), float_at(of, of->host, i));
        return;
    }
    memcpy(&is, (const char *)result + i * size, size);
    memcpy(&expected, (const char *)of->host + i * size, size);
    fail(job, "buffer %zu, number %zu is 0x%" PRIx64 " and not 0x%" PRIx64, at, i, is, expected);
}

/* Add the contents of a buffer to the digest of the case. */
static void digest(struct job *job, const struct buffer *of, const unsigned char *bytes)
{
    for (size_t i = 0; i < of->count * sizes[of->kind]; i++) {
        if (of->structure == 0 || !(of->padding >> i % of->structure & 1))
            job->outcome.digest = (job->outcome.digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
}

static void judge(struct job *job, const struct buffer *of)
{
    const size_t count = of->count * sizes[of->kind];
    void *result = malloc(count);

    if (!result)
        abort();
    if (works(job, cu->MemcpyDtoH_v2(result, of->device, count), "cuMemcpyDtoH")) {
        if (!job->row->computed)
            digest(job, of, result);
        for (size_t i = 0; job->row->computed && i < of->count && job->outcome.well; i++)
            compare_element(job, of, result, i);
    }
    free(result);
}

/* After a fault, every call returns its code. */
static void finish(struct job *job)
{
    CUdeviceptr other;

    if (job->row->faults && cu->MemAlloc_v2(&other, 16) != job->row->faults)
        fail(job, "the error is not sticky");
    for (size_t i = 0; i < job->buffer_count; i++) {
        if (!job->buffers[i].ignored && !job->row->faults && job->outcome.well)
            judge(job, &job->buffers[i]);
        if (!job->row->faults)
            works(job, cu->MemFree_v2(job->buffers[i].device), "cuMemFree");
        free(job->buffers[i].host);
    }
}

static void add_argument(struct job *job, const struct argument *of)
{
    switch (of->kind) {
    case BYTES:
        bytes(job, of->count, (unsigned)of->whole);
        break;
    case SHORTS:
        shorts(job, of->count, (unsigned)of->whole);
        break;
    case WORDS:
        words(job, of->count, (uint32_t)of->whole);
        break;
    case LONGS:
        longs(job, of->count, of->whole);
        break;
    case FLOATS:
        floats(job, of->count, of->real, of->less);
        break;
    case DOUBLES:
        doubles(job, of->count, of->real, of->less);
        break;
    case INT:
        number(job, (int)of->whole);
        break;
    case LONG:
        number_long(job, of->whole);
        break;
    case FLOAT:
        number_float(job, (float)of->real);
        break;
    case DOUBLE:
        number_double(job, of->real);
        break;
    case NOTHING:
        break;
    }
}

static void run_row(struct job *job)
{
    for (size_t i = 0; i < COUNT(job->row->arguments); i++)
        add_argument(job, &job->row->arguments[i]);
    launch_as(job, job->row->at);
}

struct outcome job_run(const struct kernel_case *row, CUmodule module, bool arrays)
{
    struct job job = {.row = row, .module = module, .arrays = arrays, .outcome.well = true};

    if (cu->ModuleGetFunction(&job.function, module, row->kernel) != CUDA_SUCCESS)
        return job.outcome;
    job.outcome.present = true;
    for (const char *c = row->kernel; *c; c++)
        job.state = job.state * 31 + (unsigned char)*c;
    (row->run ? row->run : run_row)(&job);
    if (!job.is_launched)
        fail(&job, "nothing was launched");
    finish(&job);
    return job.outcome;
}
