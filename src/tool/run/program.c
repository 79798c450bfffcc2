/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a program find another library in place of libcuda.so.1; and `cushim run`. */
#include "src/tool/run/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/driver.h>

#include "loader/report.h"
#include "src/base/system.h"
#include "src/tool/base/driver.h"
#include "src/tool/base/mock.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"
#include "src/tool/run/run_report.h"

/* A library and its folder, relative to that of this command: as installed, and as built. */
static const struct place {
    const char *what;
    const char *folders[2];
    const char *advice;
} mock_place = {"The mock driver's",
                {CUSHIM_MOCK_FOLDER, "../library"},
                "Install cushim as a whole, or name the folder with --library."},
  over_driver_place = {"The tracing and checking",
                       {CUSHIM_OVER_DRIVER_FOLDER, "../library/over_driver"},
                       "Install cushim as a whole."};

char *program_join(const char *first, const char *between, const char *second)
{
    const size_t size = strlen(first) + strlen(between) + strlen(second) + 1;
    char *text = output_memory(size);

    snprintf(text, size, "%s%s%s", first, between, second);
    return text;
}

/* The absolute path of a folder, to be freed; NULL if the library is not in it. */
static char *check_folder(const char *folder)
{
    /* An empty path would be the current folder. */
    char *absolute = folder[0] ? system_absolute_path(folder) : NULL;
    char *file;
    bool is_there;

    if (!absolute)
        return NULL;
    file = program_join(absolute, "/", system_mock_library);
    is_there = system_file_exists(file);
    free(file);
    if (is_there)
        return absolute;
    free(absolute);
    return NULL;
}

/* Cut the path of a file to its folder. Windows writes its own paths with backslashes only. */
static void cut_name(char *path)
{
    char *end = strrchr(path, '/');

    if (!end)
        end = strrchr(path, '\\');
    if (end)
        *end = '\0';
}

/* The folder of a library, or the one that the user named for it; to be freed. */
static char *find_folder(const struct place *place, const char *named, struct failure *failure)
{
    char *own = named ? NULL : system_own_path();
    char *found = named ? check_folder(named) : NULL;

    if (own)
        cut_name(own);
    for (size_t i = 0; own && !found && i < 2; i++) {
        const char *from = place->folders[i];
        const bool is_absolute = cushim__system_path_is_absolute(from);
        char *folder = program_join(is_absolute ? "" : own, is_absolute ? "" : "/", from);
        found = check_folder(folder);
        free(folder);
    }
    free(own);
    if (!found)
        failure_set(failure, STATUS_NO_LIBRARY, place->advice, "%s %s is not in %.160s.",
                    place->what, system_mock_library,
                    !named      ? "the folder where it is built or installed"
                    : !named[0] ? "an empty path"
                                : named);
    /* The list of folders cannot contain these characters. */
    if (found && strpbrk(found, system_search_forbidden))
        failure_set(
            failure, STATUS_NO_LIBRARY, "Move or copy it to another folder.",
            "%s folder has a character in its name that no list of folders can have (colon, "
            "semicolon, dollar, end of line): %.160s",
            place->what, found);
    return found;
}

/* Set what the program is to read: the command line's settings override the environment's. */
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

/* The mock in the program loads the kernels; whether it can is known only there. */
static bool set_kernels(const struct arguments *arguments, struct failure *failure)
{
    char *file = arguments->kernels ? system_absolute_path(arguments->kernels) : NULL;
    bool is_done = true;

    if (arguments->kernels && !system_loads_kernels) {
        failure_set(failure, STATUS_USAGE, "Link the mock and register them in the program.",
                    "--kernels is not supported on Windows.");
        is_done = false;
    } else if (arguments->kernels && (!file || !system_file_exists(file))) {
        failure_set(failure, STATUS_USAGE,
                    "Build one with `cc -shared -fPIC`: cushim help run says what it exports.",
                    "The library of kernels %.160s is not there.", arguments->kernels);
        is_done = false;
    } else if (file) {
        is_done = system_set("CUSHIM_MOCK_KERNELS", file, failure);
    }
    free(file);
    return is_done;
}

/* Let the library of a folder be found before all others, also by programs that use cushim. */
static bool set_library(const char *folder, struct failure *failure)
{
    const char *before = system_get(system_search_variable);
    char *path = before && *before ? program_join(folder, system_search_separator, before)
                                   : program_join(folder, "", "");
    char *file = program_join(folder, "/", system_mock_library);
    const bool is_done = system_set(system_search_variable, path, failure) &&
                         system_set("CUSHIM_LIBRARY", file, failure);

    if (is_done && system_search_obstacle())
        fprintf(stderr, "cushim: %s\n", system_search_obstacle());
    free(path);
    free(file);
    return is_done;
}

bool program_takes_mock(const struct arguments *arguments, struct failure *failure)
{
    /* With trace and check, --library names a driver, and excludes the mock. */
    char *folder = NULL;
    bool is_done = false;

    if (set_settings(arguments, failure) && set_kernels(arguments, failure))
        folder = find_folder(&mock_place, arguments->library, failure);
    /* A program that is traced over a driver may have started this command with CUSHIM_DRIVER. */
    if (failure->status == STATUS_DONE)
        is_done = set_library(folder, failure) && system_set("CUSHIM_DRIVER", "", failure);
    free(folder);
    return is_done;
}

/* Let the loader find the driver's file here, where the search still leads to it. */
static bool set_driver(const struct arguments *arguments, struct failure *failure)
{
    char *memory = NULL;
    const struct cushim_load_options options = {
        .size = sizeof options, .library = driver_library(arguments->library, &memory)};
    struct cushim_report report;
    bool is_done = false;

    cushim_driver_load(&options);
    cushim__report_get(&report);
    free(memory);
    if (report.state != CUSHIM_STATE_LOADED && report.state != CUSHIM_STATE_READY)
        failure_set(failure, STATUS_NO_DRIVER, report.advice, "%s", report.reason);
    else
        is_done = system_set("CUSHIM_DRIVER", report.library, failure);
    return is_done;
}

bool program_takes_driver(const struct arguments *arguments, struct failure *failure)
{
    char *folder = NULL;
    bool is_done = false;

    if (!mock_is_built()) {
        failure_set(failure, STATUS_USAGE, "Build cushim with -Dmock=enabled.",
                    "This cushim is built without the library that traces and injects faults.");
        return false;
    }
    if (set_driver(arguments, failure) &&
        (!arguments->faults || system_set("CUSHIM_FAULTS", arguments->faults, failure)))
        folder = find_folder(&over_driver_place, NULL, failure);
    if (failure->status == STATUS_DONE)
        is_done = set_library(folder, failure);
    free(folder);
    return is_done;
}

enum status program_runs_alone(const struct arguments *arguments, const char *what,
                               struct failure *failure)
{
    fprintf(stderr, "cushim: nothing is %s, as there is no driver: %s\n", what, failure->message);
    *failure = (struct failure){0};
    system_execute(arguments->program, failure);
    return failure->status;
}

enum status command_run(const struct arguments *arguments)
{
    static const struct run_report report = {
        .command = "cushim run",
        .variable = "CUSHIM_MOCK_REPORT",
        .nothing = "no process has reported what the mock driver found: none has opened it, or "
                   "those that did were killed",
    };
    struct failure failure = {0};
    int status = STATUS_DONE;

    if (!(arguments->real ? program_takes_driver(arguments, &failure)
                          : program_takes_mock(arguments, &failure) &&
                                system_set("CUSHIM_MOCK_CHECK", "yes", &failure)))
        status = failure.status;
    else if (arguments->report || arguments->error_status)
        status = run_reported(arguments, &report, &failure);
    else
        system_execute(arguments->program, &failure);
    if (failure.status == STATUS_DONE)
        return (enum status)status;
    failure_print(&failure);
    return failure.status;
}
