/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls every slot of the mock's table with zeros, with a new mock for each. Prints `SYMBOL
 * refused`, `SYMBOL answered CODE`, or `SYMBOL ended` if the child crashed or was killed. On POSIX,
 * each call has its own child; on Windows, all run in this process, so a crash ends the program.
 *
 *     every_slot none|init|context    before cuInit, after it, with the primary context current
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cushim/testing/mock.h>

#include "loader/symbols.h"
#include "loader/versions.h"
#include "tests/support/calls.h"
#include "tests/support/counters.h"

/* A call that takes longer than SECONDS is ended. */
enum { BROKEN = 3, ENDED = 100, SECONDS = 120 };

/* Whether the log has said that this symbol is not implemented. */
struct ear {
    const char *symbol;
    bool heard;
};

static void listen(void *data, const char *line)
{
    struct ear *ear = data;
    const size_t length = strlen(ear->symbol);

    ear->heard = ear->heard || (strncmp(line, ear->symbol, length) == 0 &&
                                strncmp(line + length, " is not implemented", 19) == 0);
}

static bool prepare(const struct cushim_table *table, const char *state)
{
    CUcontext context;

    if (strcmp(state, "none") == 0)
        return true;
    if (table->Init(0) != CUDA_SUCCESS)
        return false;
    if (strcmp(state, "init") == 0)
        return true;
    return table->DevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
           table->CtxSetCurrent(context) == CUDA_SUCCESS;
}

/* In the child: the only output is one line at the end, so a crash prints nothing. */
static int call(size_t slot, const char *state)
{
    const struct cushim_mock_options options = {
        .size = sizeof options, .settings = "driver_version = " CUSHIM__NEWEST_VERSION_TEXT};
    struct ear ear = {.symbol = cushim__symbol_name(slot)};
    const struct cushim_table *table;
    struct cushim_mock *mock;
    CUresult code;

    if (cushim_mock_create(&options, &mock) != CUDA_SUCCESS)
        return BROKEN;
    table = cushim_mock_table(mock);
    if (!prepare(table, state))
        return BROKEN;
    cushim_mock_set_log(mock, listen, &ear);
    code = cushim_calls[slot](table, NULL);
    if (ear.heard != (ear.heard && code == CUDA_ERROR_NOT_SUPPORTED))
        return BROKEN;
    if (ear.heard)
        printf("%s refused\n", ear.symbol);
    else
        printf("%s answered %d\n", ear.symbol, (int)code);
    fflush(stdout);
    cushim_mock_set_log(mock, NULL, NULL);
    return EXIT_SUCCESS;
}

/*
 * The result of a call with no objects left by earlier calls; ENDED: the child crashed or was
 * killed.
 */
static int call_alone(size_t slot, const char *state)
{
    int status = 0;

#ifdef _WIN32
    status = call(slot, state);
    cushim_mock_destroy(cushim_mock_current());
    return status;
#else
    const pid_t child = fork();

    if (child < 0)
        abort();
    if (child == 0) {
        alarm(SECONDS);
        status = call(slot, state);
        counters_write();
        _exit(status);
    }
    if (waitpid(child, &status, 0) != child)
        abort();
    return WIFEXITED(status) ? WEXITSTATUS(status) : ENDED;
#endif
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    for (size_t slot = 0; slot < cushim_call_count; slot++) {
        const int answer = call_alone(slot, argv[1]);

        if (answer == BROKEN)
            return EXIT_FAILURE;
        if (answer != EXIT_SUCCESS)
            printf("%s ended\n", cushim__symbol_name(slot));
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
