/* SPDX-License-Identifier: Apache-2.0 */
/* What only the command needs from the operating system, beside src/base/system.h. */
#ifndef CUSHIM_TOOL_BASE_SYSTEM_H
#define CUSHIM_TOOL_BASE_SYSTEM_H

#include <stdbool.h>
#include <stdio.h>

#include "src/tool/base/failure.h"

/*
 * Call before anything else. If the caller of the command has closed a standard stream, it is
 * replaced, because the next file to be opened, such as a device of the driver's, would get its
 * number and our output. On Windows the words of the command line become UTF-8. Returns false if
 * memory runs out, or if the process has more rights than its user (set-user-ID and the like),
 * which is printed: files that options name would be loaded, started and written with these rights.
 */
bool system_begin(int *count, char ***words);

/* The absolute form of a path, even of one that leads nowhere; free it. NULL if memory runs out. */
char *system_absolute_path(const char *path);

/* The path of this command's own file; free it. NULL if unknown. */
char *system_own_path(void);

bool system_file_exists(const char *path);

/*
 * Create a file to write, or truncate an existing one. In a folder that all users may write, such
 * as /tmp, another user may have left a link or a file of that name. So an existing file there is
 * truncated only if this user owns it and it has no other name. Returns NULL if that fails; `why`
 * is then the reason, and errno is EEXIST if something else is there.
 */
FILE *system_new_file(const char *path, const char **why);

/* A function of a shared library that is loaded, or NULL. */
typedef void (*system_function)(void);
system_function system_library_function(const char *path, const char *name);

/*
 * A variable of the environment, or NULL if it is not set; valid as long as the process lives. The
 * command passes it to programs that it starts, so it reads it even where cushim ignores the
 * environment.
 */
const char *system_get(const char *name);

/* Set a variable of the environment. */
bool system_set(const char *name, const char *value, struct failure *failure);

/* The name of the drop-in library, and the variable with the folders in which it is searched. */
extern const char system_mock_library[], system_search_variable[];

/* What separates these folders, and the characters that their names therefore cannot contain. */
extern const char system_search_separator[], system_search_forbidden[];

/* Whether the drop-in library can load a shared library of kernels. */
extern const bool system_loads_kernels;

/*
 * A sentence that says why some programs will not find a library in the first of these folders, or
 * why cushim will not find the one that CUSHIM_LIBRARY names. NULL if all will.
 */
const char *system_search_obstacle(void);

/*
 * Replace this process by a program, which is searched for as a shell does; on Windows, start it,
 * and exit with its status. Returns only with a failure: of status 127 if the program was not
 * found, otherwise 126.
 */
void system_execute(char **words, struct failure *failure);

/* Whether a path leads to a regular file, which a new one can replace, or to nothing yet. */
bool system_is_replaceable(const char *path);

/* Rename a file over another one. Returns false if that fails; errno says why. */
bool system_replace(const char *from, const char *path);

/* End the process at once, because what a driver does at exit may crash or hang. */
void system_end(int status);

bool system_is_terminal(FILE *stream);

#ifdef _WIN32
/* Words as one command line, which the C runtime of the program reads unchanged. Free it. */
wchar_t *system_command_line(const char *const *words);
#endif

#endif
