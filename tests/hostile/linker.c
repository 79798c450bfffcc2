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
#include "tests/hostile/trial.h"
#include "tests/support/folder.h"

static const char usage[] =
    "usage: linker VICTIM [OPTION...]\n"
    "\n"
    "Loads mutants of a driver library through cushim, by its path and by search, each in a\n"
    "process of its own, and counts what comes of them. Each mutant has a number: the first ones\n"
    "follow from the library's tables, the others are random.\n"
    "\n"
    "  --count N     how many; 0, the default: all that are not random\n"
    "  --first N     the number of the first (0)\n"
    "  --step N      only each Nth number (1)\n"
    "  --seed S      of the random ones (1)\n"
    "  --way WAY     path or search; the default is both\n"
    "  --show END    print the mutants that end so: a word of a line of the table, as `loaded`;\n"
    "                those that crash or hang are always printed\n"
    "  --keep FILE   write the last mutant there\n"
    "\n"
    "A mutant comes again by --first NUMBER --count 1 with the same seed and library.\n"
    "Exit status: 0 none has crashed in cushim or in the linker, and none hung; 1 one has.\n";

struct settings {
    const char *victim, *show, *keep;
    uint64_t count, first, step, seed;
    bool by_path, by_search;
};

enum way { WAY_PATH, WAY_SEARCH, WAYS };

static const char *const way_names[WAYS] = {"path", "search"};

struct tally {
    uint64_t ends[WAYS][TRIAL_ENDS];
    uint64_t mutants, tried;
};

static bool read_option(struct settings *settings, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"--count", &settings->count},
                   {"--first", &settings->first},
                   {"--step", &settings->step},
                   {"--seed", &settings->seed}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *end;
        if (strcmp(name, numbers[i].name) != 0)
            continue;
        *numbers[i].number = strtoull(value, &end, 10);
        return *value && !*end;
    }
    if (strcmp(name, "--way") == 0) {
        settings->by_path = strcmp(value, way_names[WAY_PATH]) == 0;
        settings->by_search = strcmp(value, way_names[WAY_SEARCH]) == 0;
        return settings->by_path || settings->by_search;
    }
    if (strcmp(name, "--show") == 0)
        settings->show = value;
    else if (strcmp(name, "--keep") == 0)
        settings->keep = value;
    else
        return false;
    return true;
}

static bool read_settings(struct settings *settings, int argc, char **argv)
{
    *settings = (struct settings){.step = 1, .seed = 1, .by_path = true, .by_search = true};
    if (argc < 2 || argc % 2 != 0 || argv[1][0] == '-')
        return false;
    settings->victim = argv[1];
    for (int i = 2; i < argc; i += 2) {
        if (!read_option(settings, argv[i], argv[i + 1]))
            return false;
    }
    return settings->step > 0;
}

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

static void write_mutant(const char *path, const struct mutant *mutant)
{
    FILE *file = fopen(path, "wb");

    if (!file || (mutant->size && fwrite(mutant->bytes, mutant->size, 1, file) != 1) ||
        fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

static bool try_all(const struct settings *settings, const char *folder)
{
    struct victim *victim = victim_open(settings->victim);
    struct mutant mutant = mutant_begin(victim);
    const uint64_t count = settings->count ? settings->count : mutant_count(victim);
    struct tally tally = {.mutants = 0};
    char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
    printf("%zu fields, %" PRIu64 " mutants that are not random\n", victim->field_count,
           mutant_count(victim));
    for (uint64_t i = 0; i < count; i += settings->step) {
        mutant_make(&mutant, victim, settings->seed, settings->first + i);
        write_mutant(path, &mutant);
        tally.mutants++;
        if (settings->by_path)
            try_one(settings, &tally, WAY_PATH, path, settings->first + i, mutant.words);
        if (settings->by_search)
            try_one(settings, &tally, WAY_SEARCH, path, settings->first + i, mutant.words);
    }
    if (settings->keep)
        write_mutant(settings->keep, &mutant);
    mutant_end(&mutant);
    victim_close(victim);
    print_tally(settings, &tally);
    return is_sound(&tally);
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
        execv("/proc/self/exe", argv);
        _exit(2);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    folder_remove(NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char **argv)
{
    const bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;
    struct settings settings;

    if (!read_settings(&settings, argc, argv)) {
        fputs(usage, is_help ? stdout : stderr);
        return is_help ? EXIT_SUCCESS : 2;
    }
    if (!getenv("HOSTILE_FOLDER"))
        return run_in_folder(argv);
    return try_all(&settings, getenv("HOSTILE_FOLDER")) ? EXIT_SUCCESS : EXIT_FAILURE;
}
