/* SPDX-License-Identifier: Apache-2.0 */
/* Not winpthreads, since its conditions take a system call for each wait and each signal. */
#define _WIN32_WINNT 0x0602
#include "src/base/lock.h"

#include <stdlib.h>

#include <windows.h>

enum { MILLISECOND_NS = 1000000 };

_Static_assert(sizeof(SRWLOCK) <= sizeof(struct cushim__lock), "there is room");
_Static_assert(sizeof(CONDITION_VARIABLE) <= sizeof(struct cushim__condition), "there is room");
_Static_assert(sizeof(HANDLE) <= sizeof(struct cushim__thread), "there is room");

static SRWLOCK *srw_of(struct cushim__lock *lock)
{
    return (SRWLOCK *)(void *)lock;
}

static CONDITION_VARIABLE *variable_of(struct cushim__condition *condition)
{
    return (CONDITION_VARIABLE *)(void *)condition;
}

void cushim__lock_take(struct cushim__lock *lock)
{
    AcquireSRWLockExclusive(srw_of(lock));
}

bool cushim__lock_try(struct cushim__lock *lock)
{
    return TryAcquireSRWLockExclusive(srw_of(lock)) != 0;
}

void cushim__lock_release(struct cushim__lock *lock)
{
    ReleaseSRWLockExclusive(srw_of(lock));
}

/* Without the switch, a thread that was woken would be late, again and again. */
void cushim__lock_offer(struct cushim__lock *lock)
{
    cushim__lock_release(lock);
    cushim__system_yield(0);
    cushim__lock_take(lock);
}

void cushim__condition_create(struct cushim__condition *condition)
{
    InitializeConditionVariable(variable_of(condition));
}

void cushim__condition_destroy(struct cushim__condition *condition)
{
    (void)condition;
}

void cushim__condition_wait(struct cushim__condition *condition, struct cushim__lock *lock)
{
    SleepConditionVariableSRW(variable_of(condition), srw_of(lock), INFINITE, 0);
}

/* Windows counts in milliseconds. */
void cushim__condition_wait_for(struct cushim__condition *condition, struct cushim__lock *lock,
                                uint64_t ns)
{
    const DWORD ms = (DWORD)((ns + MILLISECOND_NS - 1) / MILLISECOND_NS);

    SleepConditionVariableSRW(variable_of(condition), srw_of(lock), ms, 0);
}

void cushim__condition_signal(struct cushim__condition *condition)
{
    WakeConditionVariable(variable_of(condition));
}

void cushim__condition_broadcast(struct cushim__condition *condition)
{
    WakeAllConditionVariable(variable_of(condition));
}

struct start {
    void *(*run)(void *data);
    void *data;
};

static DWORD WINAPI begin(void *given)
{
    const struct start start = *(struct start *)given;

    free(given);
    start.run(start.data);
    return 0;
}

bool cushim__thread_start(struct cushim__thread *thread, void *(*run)(void *data), void *data)
{
    struct start *start = malloc(sizeof *start);
    HANDLE handle;

    if (!start)
        return false;
    *start = (struct start){run, data};
    handle = CreateThread(NULL, 0, begin, start, 0, NULL);
    if (!handle)
        free(start);
    thread->system[0] = (uint64_t)(uintptr_t)handle;
    return handle != NULL;
}

void cushim__thread_join(struct cushim__thread *thread)
{
    HANDLE handle = (HANDLE)(uintptr_t)thread->system[0];

    WaitForSingleObject(handle, INFINITE);
    CloseHandle(handle);
}
