/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutants of a driver through cushim_load() and the dynamic linker, each in a process of its own.
 * Nothing may crash but code of the library: see the usage text.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/mutant.h"
#include "tests/hostile/settings.h"
#include "tests/hostile/trial.h"
#include "tests/support/folder.h"
#include "tests/support/program.h"

static const char usage[] =
    "usage: linker VICTIM [OPTION...]\n"
    "\n"
    "Loads mutants of a driver library through cushim, by its path and by search, each in a\n"
    "process of its own, and counts what comes of them. Each mutant has a number: the first ones\n"
    "follow from the library's tables, the others are random.\n"
    "\n" SETTINGS_USAGE "  --way WAY     path or search; the default is both\n"
    "\n"
    "Those that crash or hang are always printed, by number. One comes again by --first NUMBER\n"
    "--count 1 with the same seed and library.\n"
    "Exit status: 0 none has crashed in cushim or in the linker, and none hung; 1 one has, or the\n"
    "library itself is not loaded although the linker does not refuse it.\n";

enum way { WAY_PATH, WAY_SEARCH, WAYS };

static const char *const way_names[WAYS] = {"path", "search"};

struct tally {
    uint64_t ends[WAYS][TRIAL_ENDS];
    uint64_t mutants, tried;
};

static void try_one(const struct settings *settings, struct tally *tally, enum way way,
                    const char *path, uint64_t number, const char *words)
{
    const struct trial trial = trial_run(way == WAY_PATH ? path : NULL);

    tally->ends[way][trial.end]++;
    tally->tried++;
    if (trial.end > TRIAL_LIBRARY ||
        (settings->show && strstr(trial_end_names[trial.end], settings->show)))
        printf("%" PRIu64 " by %s: %s: %s\n    %s\n", number, way_names[way],
               trial_end_names[trial.end], trial.words, words);
}

static void print_tally(const struct settings *settings, const struct tally *tally)
{
    printf("\n%s, seed %" PRIu64 ": %" PRIu64 " mutants, %" PRIu64 " loads\n%-24s %9s %9s\n",
           settings->victim, settings->seed, tally->mutants, tally->tried, "", "by path",
           "by search");
    for (unsigned end = 0; end < TRIAL_ENDS; end++)
        printf("%-24s %9" PRIu64 " %9" PRIu64 "\n", trial_end_names[end],
               tally->ends[WAY_PATH][end], tally->ends[WAY_SEARCH][end]);
}

static bool is_sound(const struct tally *tally)
{
    uint64_t faults = 0;

    for (unsigned way = 0; way < WAYS; way++) {
        for (unsigned end = TRIAL_LINKER; end < TRIAL_ENDS; end++)
            faults += tally->ends[way][end];
    }
    return faults == 0 && tally->tried > 0;
}

static bool is_asked_for(const struct settings *settings, enum way way)
{
    return !settings->way || strcmp(settings->way, way_names[way]) == 0;
}

/* Whether the library itself is loaded in each way, or is one that the linker does not know. */
static bool takes_victim(const struct settings *settings, const struct victim *victim,
                         const char *path)
{
    bool is_taken = true;

    settings_write(path, victim->bytes, victim->size);
    for (unsigned way = 0; way < WAYS; way++) {
        struct trial trial;
        if (!is_asked_for(settings, way))
            continue;
        trial = trial_run(way == WAY_PATH ? path : NULL);
        printf("itself by %s: %s: %s\n", way_names[way], trial_end_names[trial.end], trial.words);
        is_taken &= trial.end == TRIAL_LOADED || trial.end == TRIAL_REFUSED_BY_LINKER;
    }
    return is_taken;
}

static bool try_all(const struct settings *settings, const char *folder)
{
    struct victim *victim = victim_open(settings->victim);
    struct mutant mutant = mutant_begin(victim);
    const uint64_t count = settings->count ? settings->count : mutant_count(victim);
    struct tally tally = {.mutants = 0};
    char path[FOLDER_PATH_BYTES];
    bool is_taken;

    snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
    is_taken = takes_victim(settings, victim, path);
    printf("%zu fields, %" PRIu64 " mutants that are not random\n", victim->field_count,
           mutant_count(victim));
    for (uint64_t i = 0; i < count; i += settings->step) {
        mutant_make(&mutant, victim, settings->seed, settings->first + i);
        settings_write(path, mutant.bytes, mutant.size);
        tally.mutants++;
        for (unsigned way = 0; way < WAYS; way++) {
            if (is_asked_for(settings, way))
                try_one(settings, &tally, way, path, settings->first + i, mutant.words);
        }
    }
    if (settings->keep)
        settings_write(settings->keep, mutant.bytes, mutant.size);
    mutant_end(&mutant);
    victim_close(victim);
    print_tally(settings, &tally);
    return is_sound(&tally) && is_taken;
}

/*
 * The linker reads its search path at the start of a program: start this one anew, with a folder
 * that is there until it ends.
 */
static int run_in_folder(char **argv)
{
    int status = -1;
    pid_t child;

    folder_create(NULL);
    setenv("HOSTILE_FOLDER", folder_path("."), 1);
    setenv("LD_LIBRARY_PATH", folder_path("."), 1);
    unsetenv("CUSHIM_LIBRARY");
    child = fork();
    if (child == 0) {
        program_restart((const char *const *)argv);
        _exit(2);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    folder_remove(NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char **argv)
{
    struct settings settings;

    if (!settings_read(&settings, argc, argv))
        return settings_explain(usage, argc, argv);
    if (!getenv("HOSTILE_FOLDER"))
        return run_in_folder(argv);
    return try_all(&settings, getenv("HOSTILE_FOLDER")) ? EXIT_SUCCESS : EXIT_FAILURE;
}
