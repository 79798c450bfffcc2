/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/image/ptx.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static bool begins(const struct mock_ptx *ptx, const char *text)
{
    const size_t length = strlen(text);

    return (size_t)(ptx->end - ptx->at) >= length && memcmp(ptx->at, text, length) == 0;
}

/* Skip one character. */
static void step(struct mock_ptx *ptx)
{
    if (*ptx->at == '\n')
        ptx->line++;
    ptx->at++;
}

static void skip_until(struct mock_ptx *ptx, const char *text)
{
    while (ptx->at < ptx->end && !begins(ptx, text))
        step(ptx);
    for (size_t i = 0; ptx->at < ptx->end && i < strlen(text); i++)
        step(ptx);
}

static void skip_blanks(struct mock_ptx *ptx)
{
    for (;;) {
        if (begins(ptx, "//"))
            skip_until(ptx, "\n");
        else if (begins(ptx, "/*"))
            skip_until(ptx, "*/");
        else if (ptx->at < ptx->end && strchr(" \t\r\n\v\f", *ptx->at) && *ptx->at)
            step(ptx);
        else
            return;
    }
}

void cushim__mock_ptx_next(struct mock_ptx *ptx)
{
    skip_blanks(ptx);
    ptx->word.start = ptx->at;
    if (ptx->at < ptx->end && *ptx->at == '"') {
        step(ptx);
        skip_until(ptx, "\"");
    } else if (ptx->at < ptx->end && is_word(*ptx->at)) {
        while (ptx->at < ptx->end && is_word(*ptx->at))
            ptx->at++;
    } else if (ptx->at < ptx->end) {
        ptx->at++;
    }
    ptx->word.length = (size_t)(ptx->at - ptx->word.start);
}

bool cushim__mock_ptx_is(const struct mock_ptx *ptx, const char *word)
{
    return ptx->word.length == strlen(word) && memcmp(ptx->word.start, word, ptx->word.length) == 0;
}

bool cushim__mock_ptx_skip(struct mock_ptx *ptx, const char *word)
{
    if (!cushim__mock_ptx_is(ptx, word))
        return false;
    cushim__mock_ptx_next(ptx);
    return true;
}

bool cushim__mock_ptx_ended(const struct mock_ptx *ptx)
{
    return ptx->word.length == 0;
}

static void skip_line(struct mock_ptx *ptx)
{
    skip_until(ptx, "\n");
    cushim__mock_ptx_next(ptx);
}

bool cushim__mock_ptx_skip_statement(struct mock_ptx *ptx)
{
    while (!cushim__mock_ptx_ended(ptx) && !cushim__mock_ptx_is(ptx, ";"))
        cushim__mock_ptx_next(ptx);
    return cushim__mock_ptx_skip(ptx, ";");
}

static bool skip_block(struct mock_ptx *ptx)
{
    unsigned depth = 0;

    do {
        if (cushim__mock_ptx_is(ptx, "{"))
            depth++;
        else if (cushim__mock_ptx_is(ptx, "}"))
            depth--;
        else if (cushim__mock_ptx_ended(ptx))
            return false;
        cushim__mock_ptx_next(ptx);
    } while (depth > 0);
    return true;
}

bool cushim__mock_ptx_integer(struct mock_ptx *ptx, uint64_t *value)
{
    char text[72], *end;
    size_t length = ptx->word.length;
    int base = 0;

    if (length == 0 || length >= sizeof text || !is_digit(*ptx->word.start))
        return false;
    memcpy(text, ptx->word.start, length);
    text[length] = '\0';
    if (text[length - 1] == 'U')
        text[length - 1] = '\0';
    if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        base = 2;
    *value = strtoull(base == 2 ? text + 2 : text, &end, base);
    if (*end != '\0' || end == text)
        return false;
    cushim__mock_ptx_next(ptx);
    return true;
}

bool cushim__mock_ptx_name(struct mock_ptx *ptx, struct mock_ptx_word *name)
{
    const struct mock_ptx_word word = ptx->word;

    if (word.length == 0 || !is_word(*word.start) || is_digit(*word.start) || *word.start == '.' ||
        memchr(word.start, '.', word.length))
        return false;
    *name = word;
    cushim__mock_ptx_next(ptx);
    return true;
}

CUresult cushim__mock_ptx_refuse(struct mock_ptx *ptx, const char *expected)
{
    const int length = ptx->word.length > 40 ? 40 : (int)ptx->word.length;

    return cushim__mock_image_refuse(ptx->reading->image, CUDA_ERROR_INVALID_PTX,
                                     "line %u: %s expected, not '%.*s'", ptx->line, expected,
                                     length, ptx->word.start);
}

/* PTX text: its entries with their parameters and limits, and its variables. Code is skipped. */

/* A bound of the mock: what a launch would copy. */
enum { PARAMETERS_MAX = 1 << 16, UNKNOWN_VERSION = 9999 };

static size_t align(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* `(.param .u64 a, .param .align 16 .b8 b[24])`, after the first bracket. */
static CUresult parameters(struct mock_ptx *ptx, struct mock_image_kernel *kernel)
{
    size_t offset = 0;

    while (!cushim__mock_ptx_is(ptx, ")")) {
        struct mock_ptx_declaration parameter = {.type = ""};
        CUresult code = CUDA_SUCCESS;

        if (!cushim__mock_ptx_skip(ptx, ".param"))
            return cushim__mock_ptx_refuse(ptx, "a parameter");
        code = cushim__mock_ptx_declared_type(ptx, &parameter);
        if (code == CUDA_SUCCESS)
            code = cushim__mock_ptx_declared_name(ptx, &parameter);
        if (code != CUDA_SUCCESS)
            return code;
        offset = align(offset, parameter.alignment);
        if (parameter.bytes > PARAMETERS_MAX || offset > PARAMETERS_MAX - parameter.bytes)
            return cushim__mock_ptx_refuse(ptx, "no more than 64 KiB of parameters");
        if (!cushim__mock_image_add_parameter(kernel, offset, parameter.bytes))
            return CUDA_ERROR_OUT_OF_MEMORY;
        offset += parameter.bytes;
        if (!cushim__mock_ptx_skip(ptx, ",") && !cushim__mock_ptx_is(ptx, ")"))
            return cushim__mock_ptx_refuse(ptx, "',' or ')'");
    }
    cushim__mock_ptx_next(ptx);
    return CUDA_SUCCESS;
}

/* `32, 2, 1`: up to three numbers. */
static bool extents(struct mock_ptx *ptx, unsigned values[3])
{
    values[0] = values[1] = values[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value;

        if (!cushim__mock_ptx_integer(ptx, &value) || value == 0 || value > UINT32_MAX)
            return false;
        values[i] = (unsigned)value;
        if (!cushim__mock_ptx_skip(ptx, ","))
            break;
    }
    return true;
}

/*
 * The most that a block can have of threads is far less than the most that this directive can say.
 */
static unsigned product(const unsigned values[3])
{
    uint64_t threads = values[0];

    for (unsigned i = 1; i < 3; i++)
        threads = threads > UINT32_MAX / values[i] ? UINT32_MAX : threads * values[i];
    return (unsigned)threads;
}

/* What stands between the parameters and the body. */
static CUresult directives(struct mock_ptx *ptx, struct mock_image_kernel *kernel)
{
    unsigned values[3];

    while (!cushim__mock_ptx_is(ptx, "{") && !cushim__mock_ptx_is(ptx, ";")) {
        if (cushim__mock_ptx_ended(ptx))
            return cushim__mock_ptx_refuse(ptx, "a body");
        if (cushim__mock_ptx_skip(ptx, ".maxntid")) {
            if (!extents(ptx, values))
                return cushim__mock_ptx_refuse(ptx, "a number of threads");
            kernel->max_threads = product(values);
        } else if (cushim__mock_ptx_skip(ptx, ".reqntid")) {
            if (!extents(ptx, values))
                return cushim__mock_ptx_refuse(ptx, "a number of threads");
            memcpy(kernel->required_block, values, sizeof values);
        } else {
            cushim__mock_ptx_next(ptx);
        }
    }
    return CUDA_SUCCESS;
}

static CUresult shared_variable(struct mock_ptx *ptx, struct mock_image_kernel *kernel)
{
    struct mock_ptx_declaration variable = {.type = ""};
    CUresult code = cushim__mock_ptx_declared_type(ptx, &variable);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_ptx_declared_name(ptx, &variable);
    if (code == CUDA_SUCCESS)
        cushim__mock_image_set_shared(kernel, align(kernel->shared_bytes, variable.alignment) +
                                                  variable.bytes);
    return code;
}

/* The code of an entry, for the shared memory that is declared in it. */
static CUresult body(struct mock_ptx *ptx, struct mock_image_kernel *kernel)
{
    bool external = false;
    unsigned depth = 0;

    do {
        CUresult code = CUDA_SUCCESS;

        if (cushim__mock_ptx_is(ptx, "{"))
            depth++;
        else if (cushim__mock_ptx_is(ptx, "}"))
            depth--;
        else if (cushim__mock_ptx_ended(ptx))
            return cushim__mock_ptx_refuse(ptx, "'}'");
        else if (cushim__mock_ptx_is(ptx, ".shared") && !external) {
            cushim__mock_ptx_next(ptx);
            code = shared_variable(ptx, kernel);
        }
        if (code != CUDA_SUCCESS)
            return code;
        external = cushim__mock_ptx_is(ptx, ".extern");
        cushim__mock_ptx_next(ptx);
    } while (depth > 0);
    return CUDA_SUCCESS;
}

static CUresult entry(struct mock_ptx *ptx, bool external)
{
    struct mock_image *image = ptx->reading->image;
    struct mock_image_kernel *kernel;
    struct mock_ptx_word name;
    CUresult code = CUDA_SUCCESS;
    bool added;

    if (!cushim__mock_ptx_name(ptx, &name))
        return cushim__mock_ptx_refuse(ptx, "a name");
    kernel = cushim__mock_image_add_kernel(image, name.start, name.length, &added);
    if (!kernel)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!added && !external && kernel->known)
        return cushim__mock_image_refuse_twice(image, kernel->part, name.start, name.length);
    if (!kernel->known)
        kernel->part = image->part_count;
    kernel->parameter_count = kernel->parameter_bytes = 0;
    kernel->ptx_version = ptx->target;
    if (cushim__mock_ptx_skip(ptx, "("))
        code = parameters(ptx, kernel);
    if (code == CUDA_SUCCESS)
        code = directives(ptx, kernel);
    if (code != CUDA_SUCCESS || cushim__mock_ptx_skip(ptx, ";"))
        return code;
    kernel->known = true;
    return body(ptx, kernel);
}

/* A function that kernels call: nobody outside the image can. */
static CUresult function(struct mock_ptx *ptx)
{
    while (!cushim__mock_ptx_ended(ptx) && !cushim__mock_ptx_is(ptx, "{") &&
           !cushim__mock_ptx_is(ptx, ";"))
        cushim__mock_ptx_next(ptx);
    if (cushim__mock_ptx_is(ptx, "{") ? !skip_block(ptx) : !cushim__mock_ptx_skip(ptx, ";"))
        return cushim__mock_ptx_refuse(ptx, "'}'");
    return CUDA_SUCCESS;
}

static CUresult statement(struct mock_ptx *ptx)
{
    enum mock_ptx_linkage linkage = MOCK_PTX_LOCAL;

    for (;; cushim__mock_ptx_next(ptx)) {
        if (cushim__mock_ptx_is(ptx, ".extern"))
            linkage = MOCK_PTX_EXTERN;
        else if (cushim__mock_ptx_is(ptx, ".weak") || cushim__mock_ptx_is(ptx, ".common"))
            linkage = MOCK_PTX_WEAK;
        else if (cushim__mock_ptx_is(ptx, ".visible"))
            linkage = MOCK_PTX_VISIBLE;
        else
            break;
    }
    if (cushim__mock_ptx_skip(ptx, ".entry"))
        return entry(ptx, linkage == MOCK_PTX_EXTERN);
    if (cushim__mock_ptx_skip(ptx, ".func"))
        return function(ptx);
    if (cushim__mock_ptx_skip(ptx, ".global"))
        return cushim__mock_ptx_variables(ptx, false, linkage);
    if (cushim__mock_ptx_skip(ptx, ".const"))
        return cushim__mock_ptx_variables(ptx, true, linkage);
    if (cushim__mock_ptx_is(ptx, ".file") || cushim__mock_ptx_is(ptx, ".loc") ||
        cushim__mock_ptx_is(ptx, "@")) {
        skip_line(ptx);
        return CUDA_SUCCESS;
    }
    if (cushim__mock_ptx_skip(ptx, ".section")) {
        while (!cushim__mock_ptx_ended(ptx) && !cushim__mock_ptx_is(ptx, "{"))
            cushim__mock_ptx_next(ptx);
        return skip_block(ptx) ? CUDA_SUCCESS : cushim__mock_ptx_refuse(ptx, "'}'");
    }
    if (cushim__mock_ptx_is(ptx, ".shared") || cushim__mock_ptx_is(ptx, ".local") ||
        cushim__mock_ptx_is(ptx, ".tex") || cushim__mock_ptx_is(ptx, ".pragma") ||
        cushim__mock_ptx_is(ptx, ".alias"))
        return cushim__mock_ptx_skip_statement(ptx) ? CUDA_SUCCESS
                                                    : cushim__mock_ptx_refuse(ptx, "';'");
    return cushim__mock_ptx_refuse(ptx, "a declaration");
}

/* `6.0` as 60. What no driver knows is as high as can be. */
static bool version(struct mock_ptx *ptx)
{
    char text[24] = "", *end;
    unsigned long major, minor;

    if (ptx->word.length >= sizeof text)
        return false;
    memcpy(text, ptx->word.start, ptx->word.length);
    major = strtoul(text, &end, 10);
    if (end == text || *end != '.' || end[1] == '\0')
        return false;
    minor = strtoul(end + 1, &end, 10);
    ptx->version = major < 100 && minor < 100 ? (unsigned)(major * 10 + minor) : UNKNOWN_VERSION;
    cushim__mock_ptx_next(ptx);
    return *end == '\0';
}

/* `sm_50`, or `sm_90a` for that very device; `compute_50` means the same. */
static bool target(struct mock_ptx *ptx)
{
    const char *digits = memchr(ptx->word.start, '_', ptx->word.length);
    const char *end = ptx->word.start + ptx->word.length;

    ptx->target = 0;
    if (!digits || (*ptx->word.start != 's' && *ptx->word.start != 'c'))
        return false;
    for (digits++; digits < end && *digits >= '0' && *digits <= '9' && ptx->target < 10000;
         digits++)
        ptx->target = ptx->target * 10 + (unsigned)(*digits - '0');
    cushim__mock_ptx_next(ptx);
    while (cushim__mock_ptx_skip(ptx, ","))
        cushim__mock_ptx_next(ptx);
    return ptx->target > 0;
}

static CUresult head(struct mock_ptx *ptx)
{
    struct mock_reading *reading = ptx->reading;
    uint64_t bits = 0;

    if (!cushim__mock_ptx_skip(ptx, ".version"))
        return cushim__mock_image_refuse(
            reading->image, CUDA_ERROR_INVALID_IMAGE,
            "this is no image: neither a cubin, nor a fat binary, nor PTX");
    if (!version(ptx))
        return cushim__mock_ptx_refuse(ptx, "a version");
    if (ptx->version > reading->target->ptx_version)
        return cushim__mock_image_refuse(reading->image, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                                         "PTX version %u.%u is newer than this driver's %u.%u",
                                         ptx->version / 10, ptx->version % 10,
                                         reading->target->ptx_version / 10,
                                         reading->target->ptx_version % 10);
    if (!cushim__mock_ptx_skip(ptx, ".target") || !target(ptx))
        return cushim__mock_ptx_refuse(ptx, "a target");
    if (ptx->target > reading->target->architecture)
        return cushim__mock_image_refuse(reading->image, CUDA_ERROR_INVALID_PTX,
                                         "PTX for sm_%u does not run on this device, an sm_%u",
                                         ptx->target, reading->target->architecture);
    if (cushim__mock_ptx_skip(ptx, ".address_size") &&
        (!cushim__mock_ptx_integer(ptx, &bits) || bits != 64))
        return cushim__mock_ptx_refuse(ptx, "an address size of 64");
    return CUDA_SUCCESS;
}

CUresult cushim__mock_read_ptx(struct mock_reading *reading, const char *start, size_t bytes)
{
    const char *nul = memchr(start, '\0', bytes);
    struct mock_ptx ptx = {
        .reading = reading, .at = start, .end = nul ? nul : start + bytes, .line = 1};
    CUresult code;

    reading->image->part_count++;
    cushim__mock_ptx_next(&ptx);
    code = head(&ptx);
    while (code == CUDA_SUCCESS && !cushim__mock_ptx_ended(&ptx))
        code = statement(&ptx);
    if (code == CUDA_SUCCESS &&
        !cushim__mock_image_add_text(reading->image, start, (size_t)(ptx.end - start),
                                     reading->image->part_count))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    return code;
}
