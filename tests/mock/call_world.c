/* SPDX-License-Identifier: Apache-2.0 */
#include "call_world.h"

#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/mock/calls/context/context.h"
#include "src/mock/engine/engine.h"

struct cushim_mock call_mock;
uint32_t call_ns[CUSHIM__SYMBOL_COUNT];
uint64_t call_passed_ns;
CUresult call_fault_while_passing;
struct cushim__context *call_context;
unsigned call_lines;
char call_line[200], call_traced[200];

/* In place of the world's and of the engine's. */
struct cushim_mock *cushim__world;
CUresult cushim__no_world = CUDA_ERROR_DEINITIALIZED;

struct cushim__context *cushim__context_top(void)
{
    return call_context;
}

void cushim__threads_sweep(void)
{
}

void cushim__engine_pass(uint64_t duration_ns)
{
    call_passed_ns += duration_ns;
    if (call_fault_while_passing != CUDA_SUCCESS)
        call_mock.fault = call_fault_while_passing;
}

void cushim__mock_log(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(call_line, sizeof call_line, format, arguments);
    va_end(arguments);
    call_lines++;
}

void cushim__trace(const char *what, const char *name, uint64_t stream, uint64_t operation,
                   CUresult code)
{
    snprintf(call_traced, sizeof call_traced, "%s %s %d %d %d", what, name, (int)stream,
             (int)operation, (int)code);
}

CUresult call(unsigned slot)
{
    const CUresult code = cushim__call_enter(slot);

    assert_string_equal(cushim__call_name(), cushim__world ? cushim__slot_name(slot) : "");
    return cushim__call_leave(slot, code);
}

bool call_is_over(void)
{
    if (!cushim__lock_try(&call_mock.lock))
        return false;
    cushim__lock_release(&call_mock.lock);
    return true;
}

int call_begin(void **state)
{
    static uint64_t serial;

    (void)state;
    memset(&call_mock, 0, sizeof call_mock);
    memset(call_ns, 0xff, sizeof call_ns);
    cushim__lock_create(&call_mock.lock);
    call_mock.settings.driver_version = 13000;
    call_mock.settings.call_ns = call_ns;
    call_mock.settings.costs.call_ns = 100;
    call_mock.initialised = true;
    call_mock.serial = ++serial;
    cushim__world = &call_mock;
    call_passed_ns = call_lines = 0;
    call_line[0] = call_traced[0] = '\0';
    call_fault_while_passing = CUDA_SUCCESS;
    call_context = NULL;
    cushim__in_host_function = false;
    return 0;
}

int call_end(void **state)
{
    const bool is_left = !call_is_over() || cushim__call_name()[0];

    (void)state;
    cushim__world = NULL;
    return is_left;
}
