/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/replay_windows.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "tests/support/environment.h"
#include "tests/support/start_windows.h"

enum { MOST_LEVELS = 4, MOST_CALLS = 1024, MOST_TEXT = 16384, MOST_WORDS = 2048 };

static const char variable[] = "CUSHIM_TEST_CHILD";

/* The calls of one process, or of one that it is the child of, and what they answered. */
struct level {
    unsigned count;
    int answers[MOST_CALLS];
};

/* What is to be repeated: of each level the answers up to the call that is meant. */
static struct level to_repeat[MOST_LEVELS];
static unsigned levels;

/* Where this process is. */
static struct level now[MOST_LEVELS + 1];
static unsigned depth;

/* The streams as they were given; what is repeated goes nowhere. */
static int heard[3] = {-1, -1, -1};

/* Read "1,0;-5,": two levels, the third call of the first and the second of the other. */
static void read_variable(const char *text)
{
    while (*text && levels < MOST_LEVELS) {
        struct level *level = &to_repeat[levels++];
        while (*text && *text != ';' && level->count < MOST_CALLS) {
            level->answers[level->count++] = atoi(text);
            text += strcspn(text, ",;");
            text += *text == ',';
        }
        text += *text == ';';
    }
}

static void write_variable(void)
{
    char text[MOST_TEXT];
    size_t length = 0;

    for (unsigned i = 0; i <= depth; i++) {
        for (unsigned j = 0; j < now[i].count && length < sizeof text - 16; j++)
            length += (size_t)snprintf(text + length, 16, "%d,", now[i].answers[j]);
        length += (size_t)snprintf(text + length, 2, ";");
    }
    environment_set(variable, text);
}

static void give_up(const char *what)
{
    fprintf(stderr, "%s: error %lu\n", what, GetLastError());
    fflush(stderr);
    abort();
}

static LONG WINAPI end_by_exception(EXCEPTION_POINTERS *what)
{
    /* No window, no debugger and no handler of cmocka's: the parent reads the code. */
    TerminateProcess(GetCurrentProcess(), what->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

__attribute__((constructor)) static void begin(void)
{
    char text[MOST_TEXT];
    const DWORD length = GetEnvironmentVariableA(variable, text, sizeof text);

    if (start_is_elevated()) {
        void *process = start_command(GetCommandLineW(), NULL, NULL, NULL, true);
        if (process)
            ExitProcess(start_await(process, INFINITE / 1000));
        fputs("this test cannot be run without elevation\n", stderr);
        ExitProcess(1);
    }
    if (length == 0 || length >= sizeof text)
        return;
    read_variable(text);
    environment_set(variable, NULL);
    for (int stream = 1; stream <= 2; stream++) {
        heard[stream] = _dup(stream);
        _dup2(_open("NUL", _O_WRONLY), stream);
    }
}

bool replay_is_repeating(void)
{
    return depth < levels;
}

enum replay replay_next(int *answer)
{
    struct level *level = &now[depth];

    if (level->count >= MOST_CALLS || depth >= MOST_LEVELS)
        give_up("too many children");
    if (depth >= levels)
        return REPLAY_NEW;
    if (level->count + 1 < to_repeat[depth].count) {
        *answer = to_repeat[depth].answers[level->count];
        level->answers[level->count++] = *answer;
        return REPLAY_PAST;
    }
    level->answers[level->count++] = 0;
    if (++depth < levels)
        return REPLAY_HERE;
    fflush(NULL);
    for (int stream = 1; stream <= 2; stream++) {
        _dup2(heard[stream], stream);
        _close(heard[stream]);
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    SetUnhandledExceptionFilter(end_by_exception);
    return REPLAY_HERE;
}

int replay_answered(int answer)
{
    now[depth].answers[now[depth].count++] = answer;
    return answer;
}

unsigned replay_run(unsigned seconds, char *text, size_t size)
{
    HANDLE from, to;
    void *process;
    size_t length = 0;
    char byte;
    DWORD got;

    fflush(NULL);
    if (!CreatePipe(&from, &to, NULL, 1 << 16))
        give_up("no pipe");
    /* The call that is meant counts as well. */
    now[depth].answers[now[depth].count++] = 0;
    write_variable();
    now[depth].count--;
    process = start_command(GetCommandLineW(), NULL, to, to, false);
    environment_set(variable, NULL);
    CloseHandle(to);
    if (!process)
        give_up("a child cannot be started");
    /* What is more than the pipe holds waits for the end of the child, which never comes then. */
    const unsigned code = start_await(process, seconds);
    while (ReadFile(from, &byte, 1, &got, NULL) && got == 1) {
        if (byte != '\r' && length + 1 < size)
            text[length++] = byte;
    }
    text[length] = '\0';
    CloseHandle(from);
    return code;
}

unsigned replay_restart(const char *const *arguments, unsigned seconds)
{
    wchar_t path[MAX_PATH], command[MOST_WORDS];
    size_t length;
    void *process;

    if (GetModuleFileNameW(NULL, path, MAX_PATH) == 0)
        abort();
    length = (size_t)_snwprintf(command, MOST_WORDS, L"\"%ls\"", path);
    for (; *arguments; arguments++)
        length +=
            (size_t)_snwprintf(command + length, MOST_WORDS - length, L" \"%hs\"", *arguments);
    process = start_command(command, NULL, NULL, NULL, false);
    if (!process)
        give_up("a child cannot be started");
    return start_await(process, seconds);
}
