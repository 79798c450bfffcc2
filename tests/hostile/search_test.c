/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in the way of glibc's search that cushim must see before the linker does: in subfolders for
 * certain processors, and those to which only the linker's cache leads.
 *
 *     search_test FOLDER_OF_THE_ZOO
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <elf.h>
#include <link.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DRIVER "libcuda.so.1"
#define CACHE "/etc/ld.so.cache"

static char sound[FOLDER_PATH_BYTES];

static void make_folders(const char *path)
{
    char part[FOLDER_PATH_BYTES];

    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (access(folder_path(part), F_OK) != 0)
            folder_subfolder(part);
    }
}

/* What comes of a search in a process of its own: the outcome, by its number, and words. */
static void search(enum cushim_outcome outcome, const char *words)
{
    struct cushim_report report = {.size = sizeof report};

    cushim_load(NULL);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.candidates[0].origin, CUSHIM_ORIGIN_SEARCH);
    check_int(report.candidates[0].outcome, outcome);
    check_contains(outcome == CUSHIM_OUTCOME_LOADED ? report.library : report.candidates[0].message,
                   words);
}

/* Start this program anew to search. */
static void start(const char *folder, enum cushim_outcome outcome, const char *words)
{
    const char number[] = {(char)('a' + (int)outcome), '\0'};
    const char *const arguments[] = {"search", number, words, NULL};

    environment_set("CUSHIM_LIBRARY", NULL);
    route_restart(folder, arguments);
}

/* Below a folder of the search. Not each linker would look into each of them. */
static const char *const subfolders[] = {
#if defined(__x86_64__)
    "glibc-hwcaps/x86-64-v2",
    "glibc-hwcaps/x86-64-v3",
    "glibc-hwcaps/x86-64-v4",
#endif
#if !__GLIBC_PREREQ(2, 37)
    "tls",
#if defined(__x86_64__)
    "tls/haswell/avx512_1/x86_64",
    "haswell",
    "xeon_phi/x86_64",
    "avx512_1",
    "x86_64",
#elif defined(__aarch64__)
    "tls/atomics/aarch64",
    "atomics",
#endif
#endif
};

/* A driver whose dynamic section is said to be elsewhere: the linker would follow that. */
static void write_damaged(const char *name)
{
    size_t size;
    unsigned char *bytes = folder_read(sound, &size);
    const ElfW(Ehdr) *header = (const void *)bytes;
    ElfW(Phdr) *segments = (void *)(bytes + header->e_phoff);

    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_DYNAMIC)
            segments[i].p_vaddr += 0x10000000;
    }
    folder_write(name, bytes, size);
    free(bytes);
}

/* The folder itself has a sound driver. */
static void make_search(const char *folder, const char *below, char *name, size_t size)
{
    snprintf(name, size, "%s/%s", folder, below);
    make_folders(name);
    snprintf(name, size, "%s/" DRIVER, folder);
    folder_link(name, sound);
    snprintf(name, size, "%s/%s/" DRIVER, folder, below);
}

static void make_pipe(const char *name)
{
    folder_pipe(name);
}

/* What may be in the way, and what comes of it. */
static const struct obstacle {
    const char *name;
    void (*make)(const char *name);
    enum cushim_outcome outcome;
    const char *words;
} a_pipe = {"pipe", make_pipe, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no regular file"},
  a_damaged_file = {"damaged-file", write_damaged, CUSHIM_OUTCOME_DAMAGED, "the file is damaged: "};

struct place {
    const struct obstacle *obstacle;
    char folder[32];
};

static void start_at(const void *data)
{
    const struct place *place = data;

    start(folder_path(place->folder), place->obstacle->outcome, place->obstacle->words);
}

static void refused_in_each_subfolder(const struct obstacle *obstacle)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(subfolders); i++) {
        struct place place = {.obstacle = obstacle};
        char name[FOLDER_PATH_BYTES];
        snprintf(place.folder, sizeof place.folder, "%s-%zu", obstacle->name, i);
        make_search(place.folder, subfolders[i], name, sizeof name);
        obstacle->make(name);
        failures += !child_passes(subfolders[i], start_at, &place);
    }
    assert_int_equal(failures, 0);
    print_message("%s: at %zu places\n", obstacle->name, COUNT(subfolders));
}

static void pipe_in_a_subfolder_is_refused_and_nobody_waits(void **state)
{
    (void)state;
    refused_in_each_subfolder(&a_pipe);
}

static void damaged_file_in_a_subfolder_is_refused(void **state)
{
    (void)state;
    refused_in_each_subfolder(&a_damaged_file);
}

static void put(unsigned char *bytes, uint32_t number)
{
    memcpy(bytes, &number, sizeof number);
}

/* A cache with one entry, for this process. */
static void write_cache(const char *name, const char *path)
{
    enum { HEAD = 48, ENTRY = 24, TEXT = HEAD + ENTRY };
    unsigned char bytes[TEXT + sizeof DRIVER + FOLDER_PATH_BYTES] = "glibc-ld.so.cache1.1";

    put(bytes + 20, 1);
    put(bytes + 24, (uint32_t)(sizeof DRIVER + strlen(path) + 1));
    bytes[28] = 2;
#if defined(__aarch64__)
    put(bytes + HEAD, 0x0a03);
#else
    put(bytes + HEAD, 0x0303);
#endif
    put(bytes + HEAD + 4, TEXT);
    put(bytes + HEAD + 8, TEXT + sizeof DRIVER);
    memcpy(bytes + TEXT, DRIVER, sizeof DRIVER);
    strcpy((char *)bytes + TEXT + sizeof DRIVER, path);
    folder_write(name, bytes, TEXT + sizeof DRIVER + strlen(path) + 1);
}

/* Put a file in the place of the system's cache, for this process and its children alone. */
static bool replace_cache(const char *path)
{
    return (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
           mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(path, CACHE, "none", MS_BIND, NULL) == 0;
}

static void only_replace_cache(const void *data)
{
    check(replace_cache(folder_path(data)));
}

static const struct cached {
    const char *cache, *file;
    enum cushim_outcome outcome;
    const char *words;
} cached[] = {
    {"cache-sound", "sound.so", CUSHIM_OUTCOME_LOADED, "/sound.so"},
    {"cache-damaged", "damaged.so", CUSHIM_OUTCOME_DAMAGED, "/damaged.so: the file is damaged"},
    {"cache-cut", "cut.so", CUSHIM_OUTCOME_TRUNCATED, "/cut.so: the file is shorter"},
    {"cache-pipe", "pipe.so", CUSHIM_OUTCOME_NOT_A_LIBRARY, "/pipe.so: it is no regular file"},
};

static void start_with_cache(const void *data)
{
    const struct cached *row = data;

    check(replace_cache(folder_path(row->cache)));
    start(NULL, row->outcome, row->words);
}

static void make_cached_files(void)
{
    size_t size;
    unsigned char *bytes = folder_read(sound, &size);

    folder_link("sound.so", sound);
    folder_write("cut.so", bytes, size / 3);
    folder_pipe("pipe.so");
    write_damaged("damaged.so");
    free(bytes);
    for (size_t i = 0; i < COUNT(cached); i++)
        write_cache(cached[i].cache, folder_path(cached[i].file));
}

static void file_to_which_the_cache_leads_is_looked_at(void **state)
{
    unsigned failures = 0;

    (void)state;
    make_cached_files();
    if (access(CACHE, F_OK) != 0 || IS_SANITIZED || route_search_has_another() ||
        !child_passes("a mount of its own", only_replace_cache, cached[0].cache)) {
        print_message("the linker's cache cannot be replaced for a process here\n");
        skip();
    }
    for (size_t i = 0; i < COUNT(cached); i++)
        failures += !child_passes(cached[i].cache, start_with_cache, &cached[i]);
    assert_int_equal(failures, 0);
    print_message("%zu files to which a cache leads\n", COUNT(cached));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipe_in_a_subfolder_is_refused_and_nobody_waits),
        cmocka_unit_test(damaged_file_in_a_subfolder_is_refused),
        cmocka_unit_test(file_to_which_the_cache_leads_is_looked_at),
    };

    if (argc == 4 && strcmp(argv[1], "search") == 0) {
        search((enum cushim_outcome)(argv[2][0] - 'a'), argv[3]);
        child_end();
    }
    if (argc != 2)
        return EXIT_FAILURE;
    snprintf(sound, sizeof sound, "%s/complete.so", argv[1]);
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
