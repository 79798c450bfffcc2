/* SPDX-License-Identifier: Apache-2.0 */
/* What the command needs of the operating system: system_posix.c, system_windows.c. */
#ifndef CUSHIM_TOOL_SYSTEM_H
#define CUSHIM_TOOL_SYSTEM_H

#include <stdbool.h>
#include <stdio.h>

#include "src/tool/failure.h"

/*
 * Call first of all. If the caller of the command has closed a standard stream, the next file to be
 * opened would get its number: a device of the driver's, and our output would go there. The words
 * of the command line are UTF-8 then, where the system tells what they are. False: no memory, or
 * the process has more rights than its user (set-user-ID and its like), which is said: what the
 * options name would be loaded, started and written with these.
 */
bool system_begin(int *count, char ***words);

/* The absolute form of a path, also of one that leads nowhere. Free it; NULL without memory. */
char *system_absolute_path(const char *path);

/* The path of this command's own file, by which it can be started anew. Free it; NULL as below. */
char *system_own_path(void);

/* The folder of this command's own file. Free it; NULL if the system does not tell. */
char *system_own_folder(void);

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

/* What stands between these folders, and what no name of one can have because of it. */
extern const char system_search_separator[], system_search_forbidden[];

bool system_path_is_absolute(const char *path);

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

/* Put one file in the place of another, which is gone then. False: errno says why. */
bool system_replace(const char *from, const char *path);

/* End the process at once: what a driver does as a process ends may crash or hang. */
void system_end(int status);

bool system_error_is_terminal(void);

/* Seconds of a clock that only goes forward. */
double system_seconds(void);

#endif
