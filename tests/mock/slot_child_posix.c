/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "slot_child.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/counters.h"

enum { SECONDS = 20 };

int slot_child(slot_call call, size_t slot, const char *state)
{
    const pid_t child = fork();
    int status = 0;

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
    return WIFEXITED(status) ? WEXITSTATUS(status) : SLOT_ENDED;
}
