/* SPDX-License-Identifier: Apache-2.0 */
/* A host program of plugins, without CUDA and cushim. usage: host CASE WORD... */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "plugin.h"

/* The timeout of waits for another thread. */
enum { NOT_INITIALIZED = 3, PATIENCE_MS = 120000 };

#define REQUIRE(claim) ((claim) ? (void)0 : host_failed(__FILE__, __LINE__, #claim))

/* An open plugin. */
struct host_plugin {
    void *handle;
    const struct plugin *functions;
};

/* Print the failed condition and its place, and end the process. */
static _Noreturn void host_failed(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, claim);
    _Exit(1);
}

/* Open a plugin with RTLD_NOW and these flags of dlopen(). */
static struct host_plugin host_open(const char *path, int flags)
{
    struct host_plugin plugin = {.handle = dlopen(path, RTLD_NOW | flags)};
    plugin_function function;
    void *symbol;

    if (!plugin.handle)
        host_failed(path, 0, dlerror());
    symbol = dlsym(plugin.handle, "plugin");
    REQUIRE(symbol);
    memcpy(&function, &symbol, sizeof function);
    plugin.functions = function();
    return plugin;
}

/* Close the plugin, which must then be unloaded. */
static void host_close(struct host_plugin *plugin, const char *path)
{
    REQUIRE(dlclose(plugin->handle) == 0);
    REQUIRE(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    plugin->functions = NULL;
}

/* --- a plugin is opened, used and closed many times, and must leave nothing --- */

/*
 * After this many turns, the C library, the dynamic linker and the driver have allocated what they
 * need once.
 */
enum { WARM_UP = 50 };

/*
 * The kernel counts resident pages in batches. Smaller leaks are visible in the heap and the
 * mappings, which are counted exactly.
 */
enum { BATCH = 64 };

struct usage {
    long mappings, address_space, resident, descriptors, threads;
    size_t heap;
};

/* The contents of a file of /proc, in static memory. */
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

/* Each turn returns the same codes, and releases what the driver holds. */
static void turn(const char *path, int expected)
{
    struct host_plugin plugin = host_open(path, RTLD_LOCAL);
    struct plugin_facts facts;
    void *context;

    REQUIRE(plugin.functions->init() == expected);
    plugin.functions->report(&facts);
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
static int cycle(char **words)
{
    const int turns = atoi(words[1]), expected = atoi(words[2]);
    struct usage before, after;

    for (int i = 0; i < WARM_UP; i++)
        turn(words[0], expected);
    /* The first measurement and the first line allocate memory that later ones use again. */
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

/* --- two plugins, each with its own cushim, in one process --- */

/* Either each plugin uses the cushim that it was built with, or both use one. */
static void require_two(const struct plugin *one, const struct plugin *other, bool two)
{
    struct plugin_facts a, b;

    one->report(&a);
    other->report(&b);
    REQUIRE((a.current != b.current) == two);
    REQUIRE((a.version != b.version) == two);
    REQUIRE((a.symbols != b.symbols) == two);
    REQUIRE(a.slots == a.symbols);
    REQUIRE((b.slots == b.symbols) == two);
}

/*
 * There is one driver and one primary context: when one plugin initialises, the other one sees it.
 */
static void require_one_driver(const struct plugin *one, const struct plugin *other)
{
    struct plugin_facts a, b;
    void *context, *same;
    int count;

    REQUIRE(one->load() == 0);
    REQUIRE(other->load() == 0);
    REQUIRE(other->count_devices(&count) == NOT_INITIALIZED);
    REQUIRE(one->init() == 0);
    REQUIRE(other->count_devices(&count) == 0 && count == 1);
    REQUIRE(one->retain(&context) == 0);
    REQUIRE(other->retain(&same) == 0);
    REQUIRE(context == same);
    one->report(&a);
    other->report(&b);
    REQUIRE(a.library[0] && strcmp(a.library, b.library) == 0);
    REQUIRE(a.table_size == (a.slots + 1) * sizeof(void *));
    REQUIRE(b.table_size == (b.slots + 1) * sizeof(void *));
    REQUIRE(one->release() == 0);
    REQUIRE(other->release() == 0);
}

/* pair PLUGIN PLUGIN global|local two|bound */
static int pair(char **words)
{
    const int flags = strcmp(words[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    const bool two = strcmp(words[3], "two") == 0;
    struct host_plugin one = host_open(words[0], flags);
    struct host_plugin other = host_open(words[1], flags);

    if (two)
        require_one_driver(one.functions, other.functions);
    require_two(one.functions, other.functions, two);
    return 0;
}

static int first_code = -1, second_code = -1;
static int expected_at_exit;

/* Registered before the handlers of the plugins, so called after them. */
static void judge(void)
{
    REQUIRE(first_code == expected_at_exit);
    REQUIRE(second_code == expected_at_exit);
}

/*
 * order PLUGIN PLUGIN CODE first|second|none|exit: which one is closed first, before the process
 * ends.
 */
static int order(char **words)
{
    struct host_plugin one = host_open(words[0], RTLD_LOCAL);
    struct host_plugin other = host_open(words[1], RTLD_LOCAL);

    expected_at_exit = atoi(words[2]);
    REQUIRE(atexit(judge) == 0);
    REQUIRE(one.functions->init() == expected_at_exit);
    REQUIRE(other.functions->init() == expected_at_exit);
    REQUIRE(one.functions->at_exit(&first_code) == 0);
    REQUIRE(other.functions->at_exit(&second_code) == 0);
    if (strcmp(words[3], "first") == 0) {
        host_close(&one, words[0]);
        REQUIRE(first_code == expected_at_exit && second_code == -1);
        REQUIRE(other.functions->init() == expected_at_exit);
        host_close(&other, words[1]);
    } else if (strcmp(words[3], "second") == 0) {
        host_close(&other, words[1]);
        REQUIRE(second_code == expected_at_exit && first_code == -1);
        REQUIRE(one.functions->init() == expected_at_exit);
        host_close(&one, words[0]);
    } else if (strcmp(words[3], "exit") == 0) {
        exit(0);
    }
    return 0;
}

/* --- host programs that fork, or close a plugin in use --- */

/* Fork, and require that `claims` succeeds in the child. */
static void in_a_child(void (*claims)(struct host_plugin *, char **), struct host_plugin *plugin,
                       char **words)
{
    int status;
    const pid_t child = fork();

    REQUIRE(child >= 0);
    if (child == 0) {
        claims(plugin, words);
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void opens_and_uses_it(struct host_plugin *plugin, char **words)
{
    int count;

    *plugin = host_open(words[0], RTLD_LOCAL);
    REQUIRE(plugin->functions->init() == 0);
    REQUIRE(plugin->functions->count_devices(&count) == 0);
    host_close(plugin, words[0]);
}

static void initialises(struct host_plugin *plugin, char **words)
{
    int count;

    (void)words;
    REQUIRE(plugin->functions->init() == 0);
    REQUIRE(plugin->functions->count_devices(&count) == 0);
}

static void goes_on(struct host_plugin *plugin, char **words)
{
    (void)plugin, (void)words;
}

/* fork-closed PLUGIN: the host forks when the plugin and its fork handlers are gone. */
static int fork_closed(char **words)
{
    struct host_plugin plugin = host_open(words[0], RTLD_LOCAL);

    initialises(&plugin, words);
    host_close(&plugin, words[0]);
    in_a_child(goes_on, &plugin, words);
    opens_and_uses_it(&plugin, words);
    return 0;
}

static const struct plugin *in_use;
static atomic_int answer = -1;

static void *call(void *unused)
{
    (void)unused;
    atomic_store(&answer, in_use->synchronize());
    return NULL;
}

/* A symbol of the driver that the environment names. */
static void *of_driver(const char *name)
{
    void *driver = dlopen(getenv("CUSHIM_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);

    REQUIRE(driver);
    return dlsym(driver, name);
}

static void wait_until_positive(atomic_int *number)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    for (int i = 0; atomic_load(number) <= 0; i++) {
        REQUIRE(i < PATIENCE_MS);
        nanosleep(&moment, NULL);
    }
}

/*
 * busy PLUGIN: the host closes the plugin while another thread waits in the driver; the plugin must
 * stay loaded.
 */
static int busy(char **words)
{
    struct host_plugin plugin = host_open(words[0], RTLD_LOCAL);
    atomic_int *waiting, *released;
    pthread_t thread;

    REQUIRE(plugin.functions->load() == 0);
    waiting = of_driver("fake_driver_waiting");
    released = of_driver("fake_driver_released");
    in_use = plugin.functions;
    REQUIRE(pthread_create(&thread, NULL, call, NULL) == 0);
    wait_until_positive(waiting);
    REQUIRE(dlclose(plugin.handle) == 0);
    atomic_store(released, 1);
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(atomic_load(&answer) == 7);
    return 0;
}

/* handler PLUGIN: an exit handler makes the first call. */
static struct host_plugin late;

static void use_it_late(void)
{
    struct plugin_facts facts;

    late.functions->load();
    late.functions->report(&facts);
    REQUIRE(facts.state[0] && strcmp(facts.state, "untried") != 0);
}

static int handler(char **words)
{
    REQUIRE(atexit(use_it_late) == 0);
    late = host_open(words[0], RTLD_LOCAL);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(char **words);
} cases[] = {
    {"cycle", cycle}, {"pair", pair},       {"order", order}, {"fork-closed", fork_closed},
    {"busy", busy},   {"handler", handler},
};

int main(int count, char **words)
{
    for (size_t i = 0; count > 2 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, words[1]) == 0)
            return cases[i].run(words + 2);
    }
    fprintf(stderr, "usage: host CASE WORD...\n");
    return 64;
}
