/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The injection library of NVTX, which passes the marks and ranges of a program to the trace. In
 * the program, NVTX consists of headers. Its first call loads the library that
 * NVTX_INJECTION64_PATH names, and InitializeInjectionNvtx2() sets functions in the tables of NVTX.
 * The numbers and layouts are those of NVTX 3, which are stable.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <cushim/api.h>

#include "src/base/name.h"
#include "src/trace/write/writer.h"

enum { TABLES = 1, CORE = 1, CORE2 = 5 };

enum { MESSAGE_ASCII = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

/* nvtxEventAttributes_t; later versions may add members at the end. */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

typedef void (*function)(void);

struct callbacks {
    size_t size;
    int (*module_table)(int module, function ***table, unsigned *size);
};

struct message {
    char text[512];
};

/* Convert a text to UTF-8, and cut it to the room that there is. */
static struct message narrow(const wchar_t *wide)
{
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    struct message message;
    size_t length = 0;

    for (; wide && *wide && length + sizeof lead < sizeof message.text; wide++) {
        const uint32_t code = (uint32_t)*wide & 0x1fffff;
        unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;

        message.text[length++] = (char)(lead[more] | code >> 6 * more);
        while (more-- > 0)
            message.text[length++] = (char)(0x80 | (code >> 6 * more & 0x3f));
    }
    message.text[length] = '\0';
    return message;
}

static struct message message_of(const struct attributes *attributes)
{
    struct message message = {""};

    if (!attributes || attributes->size < sizeof *attributes || !attributes->message)
        return message;
    if (attributes->message_type == MESSAGE_WIDE)
        return narrow(attributes->message);
    /* A registered string is the text itself, as register_string() returns it. */
    if (attributes->message_type == MESSAGE_ASCII || attributes->message_type == MESSAGE_REGISTERED)
        snprintf(message.text, sizeof message.text, "%s", (const char *)attributes->message);
    return message;
}

/* --- the functions of NVTX, of which some are functions of the trace --- */

static void mark_wide(const wchar_t *message)
{
    cushim__trace_mark(narrow(message).text);
}

static void mark_ex(const struct attributes *attributes)
{
    cushim__trace_mark(message_of(attributes).text);
}

static void domain_mark_ex(void *domain, const struct attributes *attributes)
{
    (void)domain;
    mark_ex(attributes);
}

static uint64_t start_wide(const wchar_t *message)
{
    return cushim__trace_range_start(narrow(message).text);
}

static uint64_t start_ex(const struct attributes *attributes)
{
    return cushim__trace_range_start(message_of(attributes).text);
}

static uint64_t domain_start_ex(void *domain, const struct attributes *attributes)
{
    (void)domain;
    return start_ex(attributes);
}

static void domain_end(void *domain, uint64_t id)
{
    (void)domain;
    cushim__trace_range_end(id);
}

static int push(const char *message)
{
    return cushim__trace_push(NULL, message);
}

static int push_wide(const wchar_t *message)
{
    return push(narrow(message).text);
}

static int domain_push_ex(void *domain, const struct attributes *attributes)
{
    return cushim__trace_push(domain, message_of(attributes).text);
}

static int push_ex(const struct attributes *attributes)
{
    return domain_push_ex(NULL, attributes);
}

static int pop(void)
{
    return cushim__trace_pop(NULL);
}

static void name_thread_wide(uint32_t system_thread, const wchar_t *name)
{
    cushim__trace_name_thread(system_thread, narrow(name).text);
}

/* Returns a copy as the handle. It is never freed, because NVTX unregisters no string. */
static const char *register_string(void *domain, const char *text)
{
    (void)domain;
    return text ? cushim__name_copy(text, strlen(text)) : NULL;
}

static const char *register_string_wide(void *domain, const wchar_t *text)
{
    return register_string(domain, narrow(text).text);
}

/* The handle of a domain is a copy of its name. */
static const void *create_domain(const char *name)
{
    return register_string(NULL, name);
}

static const void *create_domain_wide(const wchar_t *name)
{
    return create_domain(narrow(name).text);
}

struct row {
    unsigned index;
    function function;
};

/* Set functions of a module. Its table lacks those that the program's version of NVTX lacks. */
static void fill(const struct callbacks *callbacks, int module, const struct row *rows,
                 size_t count)
{
    function **table = NULL;
    unsigned size = 0;

    if (!callbacks->module_table(module, &table, &size) || !table)
        return;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].index < size && table[rows[i].index])
            *table[rows[i].index] = rows[i].function;
    }
}

CUSHIM_API int InitializeInjectionNvtx2(const void *(*table)(uint32_t id));

CUSHIM_API int InitializeInjectionNvtx2(const void *(*table)(uint32_t id))
{
    /* The numbers are those of the enums NVTX_CBID_CORE and NVTX_CBID_CORE2. */
    static const struct row core[] = {
        {1, (function)mark_ex},
        {2, (function)cushim__trace_mark},
        {3, (function)mark_wide},
        {4, (function)start_ex},
        {5, (function)cushim__trace_range_start},
        {6, (function)start_wide},
        {7, (function)cushim__trace_range_end},
        {8, (function)push_ex},
        {9, (function)push},
        {10, (function)push_wide},
        {11, (function)pop},
        {14, (function)cushim__trace_name_thread},
        {15, (function)name_thread_wide},
    };
    static const struct row core2[] = {
        {1, (function)domain_mark_ex},
        {2, (function)domain_start_ex},
        {3, (function)domain_end},
        {4, (function)domain_push_ex},
        {5, (function)cushim__trace_pop},
        {10, (function)register_string},
        {11, (function)register_string_wide},
        {12, (function)create_domain},
        {13, (function)create_domain_wide},
    };
    const struct callbacks *callbacks = table(TABLES);

    if (!callbacks || callbacks->size < sizeof *callbacks || !callbacks->module_table)
        return 0;
    fill(callbacks, CORE, core, sizeof core / sizeof *core);
    fill(callbacks, CORE2, core2, sizeof core2 / sizeof *core2);
    return 1;
}
