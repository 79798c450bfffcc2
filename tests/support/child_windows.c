/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes and a folder for files, on Windows: see replay_windows.h. A child uses the folder
 * that its parent has created, and creates no files itself.
 */
#include "tests/support/child.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/support/replay_windows.h"
#include "tests/support/start_windows.h"

enum { MOST_LEVELS = 4, MOST_CALLS = 1024, MOST_TEXT = 16384, MOST_WORDS = 2048 };
enum { MOST_HEARD = 8192 };

/* --- replay_windows.h --- */

static const char child_variable[] = "CUSHIM_TEST_CHILD";

/*
 * How many children one process has started, and what these calls returned. There is one level for
 * this process and one for each of its ancestors.
 */
struct level {
    unsigned count;
    int answers[MOST_CALLS];
};

/*
 * The results to replay: for each level, those of the calls before the one that started the child.
 */
static struct level to_repeat[MOST_LEVELS];
static unsigned levels;

/* The calls made so far at each level, and the level of this process. */
static struct level now[MOST_LEVELS + 1];
static unsigned depth;

/* The original standard streams. While the process replays, its streams lead nowhere. */
static int heard[3] = {-1, -1, -1};

/*
 * Read "1,0;-5,": two levels; the child belongs to the third call of the first level and the second
 * call of the other.
 */
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
    environment_set(child_variable, text);
}

static void give_up(const char *what)
{
    fprintf(stderr, "%s: error %lu\n", what, GetLastError());
    fflush(stderr);
    abort();
}

static LONG WINAPI end_by_exception(EXCEPTION_POINTERS *what)
{
    /*
     * Suppress error dialogs, debuggers and cmocka's exception handler, so that the parent gets the
     * exit code.
     */
    TerminateProcess(GetCurrentProcess(), what->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

__attribute__((constructor)) static void begin(void)
{
    char text[MOST_TEXT];
    const DWORD length = GetEnvironmentVariableA(child_variable, text, sizeof text);

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
    environment_set(child_variable, NULL);
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
    /* Count the call that starts this child. */
    now[depth].answers[now[depth].count++] = 0;
    write_variable();
    now[depth].count--;
    process = start_command(GetCommandLineW(), NULL, to, to, false);
    environment_set(child_variable, NULL);
    CloseHandle(to);
    if (!process)
        give_up("a child cannot be started");
    /* If the output exceeds the pipe's buffer, the child blocks until it times out. */
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

/* --- child.h --- */

static void say_how(const char *title, unsigned code, const char *text)
{
    if (code == START_TIMED_OUT)
        fprintf(stderr, "%s: no end after %d s\n", title, CHILD_SECONDS);
    else if (code >= 0xc0000000u)
        fprintf(stderr, "%s: killed by exception %#x\n", title, code);
    else
        fprintf(stderr, "%s: exit status %u\n", title, code);
    if (text[0])
        fprintf(stderr, "%s: it printed: %s\n", title, text);
}

bool child_passes(const char *title, child_body body, const void *data)
{
    char text[MOST_HEARD];
    unsigned code;
    int answer;

    switch (replay_next(&answer)) {
    case REPLAY_PAST:
        return answer;
    case REPLAY_HERE:
        body(data);
        child_end();
    case REPLAY_NEW:
        break;
    }
    code = replay_run(CHILD_SECONDS, text, sizeof text);
    if (code == 0 && !text[0])
        return replay_answered(true);
    say_how(title, code, text);
    return replay_answered(false);
}

void child_restart(const char *const *arguments)
{
    exit((int)replay_restart(arguments, CHILD_SECONDS));
}

/* --- folder.h --- */

static const char folder_variable[] = "CUSHIM_TEST_FOLDER";
static char folder[FOLDER_PATH_BYTES / 2];

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s: error %lu\n", what, GetLastError());
        abort();
    }
}

int folder_create(void **state)
{
    char base[FOLDER_PATH_BYTES / 4];

    (void)state;
    if (replay_is_repeating()) {
        must(GetEnvironmentVariableA(folder_variable, folder, sizeof folder) > 0, folder_variable);
        return 0;
    }
    must(GetTempPathA(sizeof base, base) > 0, "the folder for temporary files");
    snprintf(folder, sizeof folder, "%scushim-test-%lu", base, GetCurrentProcessId());
    must(CreateDirectoryA(folder, NULL), folder);
    environment_set(folder_variable, folder);
    return 0;
}

static void remove_all(const char *path)
{
    char pattern[FOLDER_PATH_BYTES + 4], inner[2 * FOLDER_PATH_BYTES];
    WIN32_FIND_DATAA found;
    HANDLE search;

    snprintf(pattern, sizeof pattern, "%s\\*", path);
    search = FindFirstFileA(pattern, &found);
    while (search != INVALID_HANDLE_VALUE) {
        snprintf(inner, sizeof inner, "%s\\%s", path, found.cFileName);
        if (strcmp(found.cFileName, ".") != 0 && strcmp(found.cFileName, "..") != 0) {
            if (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
                remove_all(inner);
            else
                DeleteFileA(inner);
        }
        if (!FindNextFileA(search, &found)) {
            FindClose(search);
            break;
        }
    }
    RemoveDirectoryA(path);
}

int folder_remove(void **state)
{
    (void)state;
    if (!replay_is_repeating())
        remove_all(folder);
    return 0;
}

const char *folder_path(const char *name)
{
    static char paths[8][FOLDER_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, FOLDER_PATH_BYTES, "%s\\%s", folder, name);
    for (char *byte = path; *byte; byte++) {
        if (*byte == '/')
            *byte = '\\';
    }
    return path;
}

const char *folder_write(const char *name, const void *bytes, size_t size)
{
    const char *path = folder_path(name);
    FILE *file;

    if (replay_is_repeating())
        return path;
    file = fopen(path, "wb");
    must(file != NULL, path);
    must(size == 0 || fwrite(bytes, size, 1, file) == 1, path);
    must(fclose(file) == 0, path);
    return path;
}

/* A hard link, because creating symbolic links needs privileges on Windows. */
const char *folder_link(const char *name, const char *target)
{
    const char *path = folder_path(name);

    must(replay_is_repeating() || CreateHardLinkA(path, target, NULL) ||
             CopyFileA(target, path, TRUE),
         path);
    return path;
}

const char *folder_subfolder(const char *name)
{
    const char *path = folder_path(name);

    must(replay_is_repeating() || CreateDirectoryA(path, NULL), path);
    return path;
}

unsigned char *folder_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;
    long length;

    must(file != NULL, path);
    must(fseek(file, 0, SEEK_END) == 0, path);
    length = ftell(file);
    must(length > 0, path);
    rewind(file);
    bytes = malloc((size_t)length);
    must(bytes != NULL && fread(bytes, (size_t)length, 1, file) == 1, path);
    must(fclose(file) == 0, path);
    *size = (size_t)length;
    return bytes;
}
