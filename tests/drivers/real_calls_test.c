/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's own drivers: every slot is called once, and returns. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/symbols.h"
#include "tests/drivers/real.h"
#include "tests/support/calls.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"

static char memory[CUSHIM_CALL_BYTES];

/*
 * Some drivers crash on zero arguments: they dereference the event before they check it, or read a
 * list of edges of length zero. They get an event, or one edge, instead.
 */
static CUresult record(const struct cushim_table *table, void *event)
{
    return table->EventRecord((CUevent)event, NULL);
}

static CUresult record_ptsz(const struct cushim_table *table, void *event)
{
    return table->EventRecord_ptsz((CUevent)event, NULL);
}

static CUresult remove_edge(const struct cushim_table *table, void *edge)
{
    return table->GraphRemoveDependencies(NULL, edge, edge, 1);
}

static const struct touchy {
    const char *release, *symbol;
    cushim_call call;
} touchy[] = {
    {"390.157", "cuEventRecord", record},
    {"390.157", "cuEventRecord_ptsz", record_ptsz},
    {"470.256.02", "cuGraphRemoveDependencies", remove_edge},
    {"525.147.05", "cuGraphRemoveDependencies", remove_edge},
};

static bool is_touchy(const struct touchy *entry, const struct generation *generation,
                      const char *symbol)
{
    return strcmp(entry->release, generation->release) == 0 && strcmp(entry->symbol, symbol) == 0;
}

static cushim_call call_of(const struct generation *generation, size_t index)
{
    for (size_t i = 0; i < COUNT(touchy); i++) {
        if (is_touchy(&touchy[i], generation, cushim__symbol_name(index)))
            return touchy[i].call;
    }
    return cushim_calls[index];
}

/* The order of calls: by slot, but cuInit last, because its after-effects are unknown. */
static size_t slot_at(size_t turn)
{
    static size_t init = SIZE_MAX;

    for (size_t i = 0; init == SIZE_MAX && i < cushim_call_count; i++) {
        if (strcmp(cushim__symbol_name(i), "cuInit") == 0)
            init = i;
    }
    if (turn == cushim_call_count - 1)
        return init;
    return turn < init ? turn : turn + 1;
}

static void call(const struct generation *generation, size_t index)
{
    const char *symbol = cushim__symbol_name(index);
    const enum cushim_symbol_state state = cushim__symbol_state(index);
    const CUresult answer = call_of(generation, index)(cushim_driver(), memory);
    const bool refused = state == CUSHIM_SYMBOL_MISSING || state == CUSHIM_SYMBOL_FOREIGN;

    if (refused && answer != CUSHIM__REQUIRES_NEWER_DRIVER)
        child_fail("%s is missing and returns %d\n", symbol, (int)answer);
    if (strcmp(cushim_error_name(answer), "unrecognized CUresult") == 0)
        child_fail("%s returns %d, which is no CUresult\n", symbol, (int)answer);
    check_int(cushim__symbol_missed(index), refused);
}

/* A crash ends the process, and the next process continues after that call. */
static void call_every_slot(const struct generation *generation, enum route route)
{
    volatile size_t *turn =
        mmap(NULL, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct cushim_load_options options;
    unsigned failures = 0;

    check(turn != MAP_FAILED);
    route_prepare(route, real_library(generation), &options);
    check_int(cushim_driver_load(&options), CUDA_SUCCESS);
    for (*turn = 0; *turn < cushim_call_count; ++*turn) {
        const pid_t caller = fork();
        int status = 0;
        check(caller >= 0);
        if (caller == 0) {
            alarm(CHILD_SECONDS / 2);
            for (; *turn < cushim_call_count; ++*turn)
                call(generation, slot_at(*turn));
            child_end();
        }
        while (waitpid(caller, &status, 0) < 0 && errno == EINTR)
            continue;
        if (status == 0)
            break;
        failures++;
        fprintf(stderr, "%s ends with %s %d\n", cushim__symbol_name(slot_at(*turn)),
                WIFSIGNALED(status) ? "signal" : "exit status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    check_int(failures, 0);
    check_int(*turn, cushim_call_count);
}

TEST_ALONE(every_slot_of_every_generation_answers)
{
    assert_int_equal(real_each(ROUTE_OPTION), 0);
}

int main(int argc, char **argv)
{
    const int status = real_begin(argc, argv, call_every_slot);

    return status ? status : run_all_tests(NULL, NULL);
}
