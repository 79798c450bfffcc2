/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: the top level of PTX texts. */
#include "src/ptx/text/parser.h"

#include <stdlib.h>
#include <string.h>

struct ptx_module *cushim__ptx_create(const struct ptx_target *target)
{
    struct ptx_program *program = calloc(1, sizeof *program);

    if (!program)
        return NULL;
    program->newest_version = target->version;
    program->newest_target = target->architecture;
    program->declarations = target->declarations;
    program->references = 1;
    program->module.program = program;
    program->names = calloc(1, sizeof *program->names);
    if (!program->names) {
        cushim__ptx_release(&program->module);
        return NULL;
    }
    return &program->module;
}

/* A module that was not linked still has its names. */
void cushim__ptx_release(struct ptx_module *module)
{
    if (!module)
        return;
    cushim__ptx_names_clear(module->program->names);
    free(module->program->names);
    module->program->names = NULL;
    cushim__ptx_program_release(module->program);
}

unsigned char *cushim__ptx_take_initial(struct ptx_module *module, size_t global)
{
    struct ptx_global *from = &module->program->globals[global];
    unsigned char *const initial = (unsigned char *)from->initial;

    from->initial = NULL;
    return initial;
}

/* --- functions and kernels --- */

/* Read `128, 2, 1`, and return the product. */
static unsigned extents(struct ptx_parser *parser, unsigned values[3])
{
    uint64_t threads = 1;

    values[0] = values[1] = values[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t value = cushim__ptx_integer(parser);

        if (value == 0 || value > UINT32_MAX)
            cushim__ptx_expected(parser, "a number of threads");
        values[i] = (unsigned)value;
        threads = threads > UINT32_MAX / value ? UINT32_MAX : threads * value;
        if (!ptx_skip(parser, ","))
            break;
    }
    return (unsigned)threads;
}

/* Read the directives between the parameters and the body. */
static void directives(struct ptx_parser *parser, struct ptx_kernel *kernel)
{
    static const char *const without_effect[] = {
        ".maxnreg",
        ".local_maxnreg",
        ".maxnctapersm",
        ".maxclusterrank",
        ".explicitcluster",
        ".noreturn",
        ".unified",
        ".pragma",
        ".blocksareclusters",
        ".abi_preserve",
        ".abi_preserve_control",
        ".attribute",
        NULL,
    };
    unsigned values[3];

    while (!ptx_is(parser, "{") && !ptx_is(parser, ";")) {
        if (parser->word.length == 0)
            cushim__ptx_expected(parser, "a body");
        if (kernel && ptx_skip(parser, ".maxntid"))
            kernel->max_threads = extents(parser, values);
        else if (kernel && ptx_skip(parser, ".reqntid"))
            kernel->max_threads = extents(parser, kernel->required_block);
        else if (kernel && ptx_skip(parser, ".minnctapersm"))
            kernel->min_blocks = (unsigned)cushim__ptx_integer(parser);
        else if (kernel && ptx_skip(parser, ".reqnctapercluster"))
            extents(parser, kernel->required_cluster);
        else {
            const char *const *known = without_effect;

            while (*known && !ptx_is(parser, *known))
                known++;
            if (!*known && *parser->word.start == '.' && ptx_names_are_known(parser))
                cushim__ptx_expected(parser, "a directive");
            cushim__ptx_next(parser);
        }
    }
}

static void clear_body(struct ptx_body *body)
{
    free(body->code);
    free(body->registers);
    free(body->references);
    free(body->parameters);
    *body = (struct ptx_body){0};
}

/*
 * Skip a body that is not translated. The shared variables of a kernel are read, because their
 * sizes count, unless they are .extern.
 */
static void skip_body(struct ptx_parser *parser)
{
    unsigned depth = 0;

    do {
        if (ptx_is(parser, "{"))
            depth++;
        else if (ptx_is(parser, "}"))
            depth--;
        else if (parser->word.length == 0)
            cushim__ptx_expected(parser, "'}'");
        if (parser->body.kernel && ptx_is(parser, ".shared")) {
            cushim__ptx_variables(parser, PTX_LOCAL);
            continue;
        }
        ptx_skip(parser, ".extern");
        cushim__ptx_next(parser);
    } while (depth > 0);
}

/* Add a kernel to the module, or replace what an earlier declaration said of it. */
static void set_kernel(struct ptx_parser *parser, struct ptx_function *function,
                       struct ptx_kernel *kernel)
{
    struct ptx_program *program = parser->program;
    struct ptx_body *body = &parser->body;

    if (!function->is_kernel) {
        PTX_GROW(parser, program->kernels, program->module.kernel_count);
        program->module.kernels = program->kernels;
        function->kernel = program->module.kernel_count++;
        function->is_kernel = true;
    } else {
        free((void *)program->kernels[function->kernel].parameters);
    }
    kernel->name = function->name;
    kernel->function = body->function;
    kernel->part = parser->part;
    kernel->parameters = body->parameters;
    kernel->parameter_count = body->parameter_count;
    kernel->parameter_bytes = body->parameter_bytes;
    program->kernels[function->kernel] = *kernel;
    body->kernel = &program->kernels[function->kernel];
}

/* Translate the body, from after the header to after the closing brace. */
static void translate_body(struct ptx_parser *parser, struct ptx_function *function,
                           enum ptx_linkage linkage)
{
    struct ptx_kernel *const kernel = parser->body.kernel;

    function->defined = true;
    function->linkage = linkage;
    function->part = parser->part;
    if (parser->program->declarations) {
        skip_body(parser);
    } else {
        cushim__ptx_expect(parser, "{");
        cushim__ptx_body(parser);
    }
    if (kernel) {
        kernel->defined = true;
        kernel->own_shared_bytes = parser->body.shared_bytes;
    }
}

/*
 * Read `.entry name (.param .u64 a) .maxntid 32` or `.func (.param .b32 result) name (.param .b32
 * a) .noreturn`, and the body.
 */
static void function(struct ptx_parser *parser, bool is_kernel, enum ptx_linkage linkage)
{
    struct ptx_body *body = &parser->body;
    struct ptx_kernel kernel = {0};
    struct ptx_function *function;
    uint32_t results;

    /* The name comes after the results, but belongs to the text, not to the body. */
    cushim__ptx_scope_open(parser);
    if (!is_kernel)
        cushim__ptx_parameters(parser, SYMBOL_LOCAL);
    results = (uint32_t)body->parameter_count;
    body->depth--;
    body->function =
        cushim__ptx_function_named(parser, cushim__ptx_name(parser),
                                   is_kernel && linkage == PTX_LOCAL ? PTX_VISIBLE : linkage);
    body->depth++;
    cushim__ptx_parameters(parser, is_kernel ? SYMBOL_PARAM : SYMBOL_LOCAL);
    function = &parser->program->functions[body->function];
    directives(parser, is_kernel ? &kernel : NULL);
    if (function->defined && (is_kernel ? linkage != PTX_EXTERN : ptx_is(parser, "{")))
        cushim__ptx_twice(parser, function->name, function->part,
                          function->linkage == PTX_WEAK || linkage == PTX_WEAK);
    if (body->has_register_parameters)
        cushim__ptx_refuse_function(parser, "parameters in registers");
    if (function->defined) {
        if (!ptx_skip(parser, ";"))
            skip_body(parser);
    } else {
        if (is_kernel) {
            set_kernel(parser, function, &kernel);
        } else {
            free(function->parameters);
            function->parameters = body->parameters;
            function->parameter_count = (uint32_t)body->parameter_count;
            function->result_count = results;
            body->local_bytes = body->parameter_bytes;
        }
        body->parameters = NULL;
        if (!ptx_skip(parser, ";"))
            translate_body(parser, function, linkage);
    }
    cushim__ptx_scope_close(parser);
    clear_body(body);
}

/* --- the top level --- */

/* Read `6.0` as 60. A version that no driver can have becomes the highest. */
static unsigned version(struct ptx_parser *parser)
{
    char text[24] = "", *end;
    unsigned long major, minor = 0;

    if (parser->word.length < sizeof text)
        memcpy(text, parser->word.start, parser->word.length);
    major = strtoul(text, &end, 10);
    if (end == text || *end != '.' || end[1] == '\0' || (minor = strtoul(end + 1, &end, 10), *end))
        cushim__ptx_expected(parser, "a version");
    cushim__ptx_next(parser);
    return major < 100 && minor < 100 ? (unsigned)(major * 10 + minor) : 9999;
}

/*
 * Read `sm_50`, or `sm_90a`, which is for that device only; `compute_50` means the same as `sm_50`.
 */
static unsigned architecture(struct ptx_parser *parser)
{
    const char *digits = memchr(parser->word.start, '_', parser->word.length);
    const char *const end = parser->word.start + parser->word.length;
    unsigned number = 0;

    if (digits && (*parser->word.start == 's' || *parser->word.start == 'c')) {
        while (++digits < end && *digits >= '0' && *digits <= '9' && number < 10000)
            number = number * 10 + (unsigned)(*digits - '0');
    }
    if (number == 0)
        cushim__ptx_expected(parser, "a target");
    cushim__ptx_next(parser);
    while (ptx_skip(parser, ","))
        cushim__ptx_next(parser);
    return number;
}

static void heading(struct ptx_parser *parser)
{
    struct ptx_module *module = &parser->program->module;
    const struct ptx_program *program = parser->program;

    if (!ptx_skip(parser, ".version")) {
        parser->error->kind = PTX_NO_TEXT;
        cushim__ptx_expected(parser, "'.version'");
    }
    parser->version = module->version = version(parser);
    if (module->version > program->newest_version) {
        parser->error->kind = PTX_NEWER_VERSION;
        cushim__ptx_fail(parser, "PTX version %u.%u is newer than this driver's %u.%u",
                         module->version / 10, module->version % 10, program->newest_version / 10,
                         program->newest_version % 10);
    }
    if (!ptx_skip(parser, ".target"))
        cushim__ptx_expected(parser, "a target");
    module->target = architecture(parser);
    if (module->target > program->newest_target)
        cushim__ptx_fail(parser, "PTX for sm_%u does not run on this device, an sm_%u",
                         module->target, program->newest_target);
    if (ptx_skip(parser, ".address_size") && cushim__ptx_integer(parser) != 64)
        cushim__ptx_fail(parser, "the size of addresses is not 64");
}

static void statement(struct ptx_parser *parser)
{
    enum ptx_linkage linkage = PTX_LOCAL;

    parser->statement = parser->word.start;
    parser->statement_line = parser->line;
    for (;; cushim__ptx_next(parser)) {
        if (ptx_is(parser, ".extern"))
            linkage = PTX_EXTERN;
        else if (ptx_is(parser, ".weak") || ptx_is(parser, ".common"))
            linkage = PTX_WEAK;
        else if (ptx_is(parser, ".visible"))
            linkage = PTX_VISIBLE;
        else
            break;
    }
    if (cushim__ptx_variables(parser, linkage))
        return;
    if (ptx_skip(parser, ".entry")) {
        function(parser, true, linkage);
    } else if (ptx_skip(parser, ".func")) {
        function(parser, false, linkage);
    } else if (ptx_is(parser, ".file") || ptx_is(parser, ".loc") || ptx_is(parser, "@")) {
        cushim__ptx_skip_line(parser);
    } else if (ptx_skip(parser, ".section")) {
        cushim__ptx_skip_until(parser, "{");
        skip_body(parser);
    } else if (ptx_is(parser, ".local") || ptx_is(parser, ".tex") || ptx_is(parser, ".pragma") ||
               ptx_is(parser, ".alias")) {
        cushim__ptx_skip_until(parser, ";");
        cushim__ptx_expect(parser, ";");
    } else {
        cushim__ptx_expected(parser, "a declaration");
    }
}

bool cushim__ptx_add(struct ptx_module *module, const char *text, size_t bytes,
                     struct ptx_error *error)
{
    struct ptx_parser *parser = calloc(1, sizeof *parser);
    volatile bool done = false;

    *error = (struct ptx_error){0};
    if (!parser) {
        error->kind = PTX_OUT_OF_MEMORY;
        return false;
    }
    parser->error = error;
    parser->program = module->program;
    parser->part = module->part = module->program->part_count++;
    parser->at = parser->statement = text;
    parser->end = memchr(text, '\0', bytes);
    if (!parser->end)
        parser->end = text + bytes;
    parser->line = 1;
    if (setjmp(parser->failed) == 0) {
        if (parser->part == 0 && !parser->program->declarations)
            cushim__ptx_instructions_add(parser);
        cushim__ptx_next(parser);
        heading(parser);
        while (parser->word.length > 0)
            statement(parser);
        done = true;
    }
    clear_body(&parser->body);
    cushim__ptx_names_clear(&parser->names);
    free(parser);
    return done;
}
