/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim run`: a program on the mock driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/system.h"
#include "src/tool/commands.h"
#include "src/tool/mock.h"
#include "src/tool/output.h"
#include "src/tool/run_report.h"
#include "src/tool/system.h"

/* Where the library lies, from the folder of this command: as installed, and as built. */
static const char *const folders[] = {CUSHIM_MOCK_FOLDER, "../library"};

/* Two texts as one; free it. */
static char *join(const char *first, const char *between, const char *second)
{
    const size_t size = strlen(first) + strlen(between) + strlen(second) + 1;
    char *text = output_memory(size);

    snprintf(text, size, "%s%s%s", first, between, second);
    return text;
}

/* The absolute path of a folder, if the library is in it; free it. */
static char *check_folder(const char *folder)
{
    /* An empty path would be the current folder. */
    char *absolute = folder[0] ? system_absolute_path(folder) : NULL;
    char *file;
    bool is_there;

    if (!absolute)
        return NULL;
    file = join(absolute, "/", system_mock_library);
    is_there = system_file_exists(file);
    free(file);
    if (is_there)
        return absolute;
    free(absolute);
    return NULL;
}

/*
 * Make the path of a file that of its folder. Windows writes its own paths with backslashes alone.
 */
static void cut_name(char *path)
{
    char *end = strrchr(path, '/');

    if (!end)
        end = strrchr(path, '\\');
    if (end)
        *end = '\0';
}

/* The folder of the mock's library; free it. */
static char *find_folder(const struct arguments *arguments, struct failure *failure)
{
    char *own = arguments->library ? NULL : system_own_path();
    char *found = arguments->library ? check_folder(arguments->library) : NULL;

    if (own)
        cut_name(own);
    for (size_t i = 0; own && !found && i < sizeof folders / sizeof folders[0]; i++) {
        const bool is_absolute = cushim__path_is_absolute(folders[i]);
        char *folder = join(is_absolute ? "" : own, is_absolute ? "" : "/", folders[i]);
        found = check_folder(folder);
        free(folder);
    }
    free(own);
    if (!found)
        failure_set(failure, STATUS_NO_LIBRARY,
                    "Install cushim as a whole, or name the folder with --library.",
                    "The mock driver's %s is not in %.160s.", system_mock_library,
                    !arguments->library      ? "the folder where it is built or installed"
                    : !arguments->library[0] ? "an empty path"
                                             : arguments->library);
    /* The list of folders has no way to write these. */
    if (found && strpbrk(found, system_search_forbidden))
        failure_set(
            failure, STATUS_NO_LIBRARY, "Move or copy it to another folder.",
            "The mock driver's folder has a character in its name that no list of folders can "
            "have (colon, semicolon, dollar, end of line): %.160s",
            found);
    return found;
}

/* The settings that the program is to read: of the command line over those of the environment. */
static bool set_settings(const struct arguments *arguments, struct failure *failure)
{
    static const char config_name[] = "CUSHIM_MOCK_CONFIG",
                      settings_name[] = "CUSHIM_MOCK_SETTINGS";
    char *config = arguments->config ? system_absolute_path(arguments->config) : NULL;
    const char *before = system_get(settings_name);
    char *settings = mock_settings(arguments, before);
    const char *file = config ? config : system_get(config_name);
    const char *text = settings ? settings : before;
    const bool is_done =
        mock_check(arguments, file, text, before ? settings_name : "the options", failure) &&
        (!config || system_set(config_name, config, failure)) &&
        (!settings || system_set(settings_name, settings, failure));

    free(config);
    free(settings);
    return is_done;
}

static bool set_library(const char *folder, struct failure *failure)
{
    const char *before = system_get(system_search_variable);
    char *path =
        before && *before ? join(folder, system_search_separator, before) : join(folder, "", "");
    char *file = join(folder, "/", system_mock_library);
    const bool is_done = system_set(system_search_variable, path, failure) &&
                         system_set("CUSHIM_LIBRARY", file, failure);

    free(path);
    free(file);
    return is_done;
}

enum status command_run(const struct arguments *arguments)
{
    struct failure failure = {0};
    char *folder = NULL;
    int status = STATUS_DONE;

    if (set_settings(arguments, &failure))
        folder = find_folder(arguments, &failure);
    if (failure.status == STATUS_DONE && set_library(folder, &failure)) {
        if (system_search_obstacle() && !arguments->quiet)
            fprintf(stderr, "cushim: %s\n", system_search_obstacle());
        if (arguments->report || arguments->error_status)
            status = run_reported(arguments, &failure);
        else
            system_execute(arguments->program, &failure);
    }
    free(folder);
    if (failure.status == STATUS_DONE)
        return (enum status)status;
    failure_print(&failure);
    return failure.status;
}
