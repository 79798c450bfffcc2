/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/hostile/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hostile/settings.h"

static const char usage[] =
    "usage: READERS WHAT VICTIM [OPTION...]\n"
    "\n"
    "Gives mutants of a file to what reads such files inside cushim, in this process, and counts\n"
    "the answers. A crash is the end of the program: it is built with sanitizers for that. Each\n"
    "mutant has a number: the first ones follow from the tables of the file, others are random.\n"
    "\n" SETTINGS_USAGE "\n"
    "The last mutant before a crash is the last line of the output if --show is `all`.\n"
    "Exit status: 0 all were read.\n";

/* The mutant that is read, for a message. */
static const char *words = "";
static uint64_t number;

void reader_fail(const char *what)
{
    printf("%" PRIu64 ": %s\n    %s\n", number, what, words);
    fflush(NULL);
    abort();
}

static void show(const struct settings *settings, const char *answer)
{
    if (!settings->show)
        return;
    if (strcmp(settings->show, "all") == 0 || strstr(answer, settings->show)) {
        printf("%" PRIu64 ": %s: %s\n", number, answer, words);
        fflush(stdout);
    }
}

static int read_all(const struct reader *reader, const struct settings *settings)
{
    struct victim *victim = reader->open(settings->victim);
    struct mutant mutant = mutant_begin(victim);
    const uint64_t count = settings->count ? settings->count : mutant_count(victim);
    uint64_t answers[READER_MOST_ANSWERS] = {0}, all = 0;

    words = mutant.words;
    for (uint64_t i = 0; i < count; i += settings->step, all++) {
        unsigned answer;
        number = settings->first + i;
        mutant_make(&mutant, victim, settings->seed, number);
        words = mutant.words;
        if (settings->keep)
            settings_write(settings->keep, mutant.bytes, mutant.size);
        answer = reader->read(victim, &mutant);
        answers[answer]++;
        show(settings, reader->answer(answer));
    }
    printf("%s of %s, seed %" PRIu64 ": %" PRIu64 " mutants read (%" PRIu64
           " of all are not random), 0 crashed\n",
           reader->name, settings->victim, settings->seed, all, mutant_count(victim));
    for (unsigned i = 0; i < READER_MOST_ANSWERS; i++) {
        if (answers[i])
            printf("  %-24s %9" PRIu64 "\n", reader->answer(i), answers[i]);
    }
    mutant_end(&mutant);
    victim_close(victim);
    return all > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int reader_main(const struct reader *const *readers, int argc, char **argv)
{
    struct settings settings;

    for (; argc > 2 && *readers; readers++) {
        if (strcmp((*readers)->name, argv[1]) == 0 && settings_read(&settings, argc - 1, argv + 1))
            return read_all(*readers, &settings);
    }
    return settings_explain(usage, argc, argv);
}
