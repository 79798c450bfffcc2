/* SPDX-License-Identifier: Apache-2.0 */
/* Open, use and close a plugin many times: nothing may be left behind. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "host.h"

/* What the C library, the linker and the driver set up once is there after so many turns. */
enum { WARM_UP = 50 };

/*
 * The kernel counts resident pages in batches. What leaks by less is seen in the heap and the
 * mappings, which are counted to the byte.
 */
enum { BATCH = 64 };

struct usage {
    long mappings, address_space, resident, descriptors, threads;
    size_t heap;
};

/* The whole of a file of /proc, in memory that is there already. */
static const char *text_of(const char *path)
{
    static char text[1 << 20];
    const int file = open(path, O_RDONLY);
    size_t length = 0;
    ssize_t got;

    REQUIRE(file >= 0);
    while ((got = read(file, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    close(file);
    REQUIRE(length < sizeof text - 1);
    text[length] = '\0';
    return text;
}

static long entries_of(const char *path)
{
    DIR *folder = opendir(path);
    long count = 0;

    REQUIRE(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static struct usage look(void)
{
    struct usage usage = {0};

    for (const char *line = text_of("/proc/self/maps"); (line = strchr(line, '\n')); line++)
        usage.mappings++;
    REQUIRE(sscanf(text_of("/proc/self/statm"), "%ld %ld", &usage.address_space, &usage.resident) ==
            2);
    usage.descriptors = entries_of("/proc/self/fd");
    usage.threads = entries_of("/proc/self/task");
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    usage.heap = mallinfo2().uordblks;
#endif
    return usage;
}

/* The same codes at each turn; what the driver holds is given back. */
static void turn(const char *path, int expected)
{
    struct host_plugin plugin = host_open(path, RTLD_LOCAL);
    struct plugin_facts facts;
    void *context;

    REQUIRE(plugin.functions->init() == expected);
    plugin.functions->tell(&facts);
    REQUIRE(facts.table_size == (facts.slots + 1) * sizeof(void *));
    REQUIRE(plugin.functions->retain(&context) == expected);
    if (expected == 0)
        REQUIRE(plugin.functions->release() == 0);
    host_close(&plugin, path);
}

static void print(const char *when, const struct usage *usage)
{
    printf("%-6s %3ld mappings, %ld pages, %ld resident, %ld descriptors, %ld threads, %zu heap\n",
           when, usage->mappings, usage->address_space, usage->resident, usage->descriptors,
           usage->threads, usage->heap);
    fflush(stdout);
}

/* cycle PLUGIN TURNS CODE */
int cycle(char **words)
{
    const int turns = atoi(words[1]), expected = atoi(words[2]);
    struct usage before, after;

    for (int i = 0; i < WARM_UP; i++)
        turn(words[0], expected);
    /* The first look and the first line take memory that the later ones take again. */
    before = look();
    print("warm", &before);
    before = look();
    print("before", &before);
    for (int i = 0; i < turns; i++)
        turn(words[0], expected);
    after = look();
    print("after", &after);
    REQUIRE(after.mappings == before.mappings);
    REQUIRE(after.address_space == before.address_space);
    REQUIRE(after.resident <= before.resident + BATCH);
    REQUIRE(after.descriptors == before.descriptors);
    REQUIRE(after.threads == before.threads);
    REQUIRE(after.heap <= before.heap);
    return 0;
}
