/* SPDX-License-Identifier: Apache-2.0 */
/* What the command needs of the operating system: system_posix.c, system_windows.c. */
#ifndef CUSHIM_TOOL_SYSTEM_H
#define CUSHIM_TOOL_SYSTEM_H

#include <stdbool.h>
#include <stdio.h>

#include "src/tool/failure.h"

/*
 * Call first of all. If the caller of the command has closed a standard stream, the next file to be
 * opened would get its number: a device of the driver's, and our output would go there. On Windows
 * the words of the command line become UTF-8. False: no memory, or the process has more rights than
 * its user (set-user-ID and its like), which is printed: the files that the options name would be
 * loaded, started and written with these rights.
 */
bool system_begin(int *count, char ***words);

/* The absolute form of a path, also of one that leads nowhere. Free it; NULL without memory. */
char *system_absolute_path(const char *path);

/* The path of this command's own file. Free it; NULL: unknown. */
char *system_own_path(void);

bool system_file_exists(const char *path);

/*
 * Make a file to write, or what is there empty. In a folder that everybody may write, as /tmp,
 * somebody may have left a link or a file of that name: there only a file that this user owns under
 * no other name is written. NULL: `why` is why not, and errno is EEXIST if there is something else
 * than that.
 */
FILE *system_new_file(const char *path, const char **why);

/* A function of a library that is loaded, or NULL. */
typedef void (*system_function)(void);
system_function system_library_function(const char *path, const char *name);

/* A variable of the environment; NULL: it is not set. Good for as long as the process lives. */
const char *system_get(const char *name);

/* Set a variable of the environment. */
bool system_set(const char *name, const char *value, struct failure *failure);

/* How the mock driver's library is called, and the variable of the folders where it is searched. */
extern const char system_mock_library[], system_search_variable[];

/* What separates these folders, and the characters that no name of one can have because of it. */
extern const char system_search_separator[], system_search_forbidden[];

/* Whether the mock driver's library can load a library of kernels. */
extern const bool system_loads_kernels;

/*
 * Why some programs will not find a library in the first of these folders, or cushim not the one
 * that CUSHIM_LIBRARY names: a sentence. NULL: they all will.
 */
const char *system_search_obstacle(void);

/*
 * Become another program, which is searched as a shell does; or start it, and end as it does.
 * Returns only with a failure: of status 127 if it was not found, else 126.
 */
void system_execute(char **words, struct failure *failure);

/* Whether a file of this path is there and can be replaced by another, or is not there yet. */
bool system_is_replaceable(const char *path);

/* Rename a file over another one. False: errno says why. */
bool system_replace(const char *from, const char *path);

/* End the process at once: what a driver does as a process ends may crash or hang. */
void system_end(int status);

/* Whether a person sees this stream at once. */
bool system_is_terminal(FILE *stream);

#ifdef _WIN32
/* Words as one command line, so that the C runtime of the program reads them unchanged. Free it. */
wchar_t *system_command_line(const char *const *words);
#endif

#endif
