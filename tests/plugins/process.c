/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that fork, that run with more rights than their user, and that close a plugin in use. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

enum { NOT_INITIALIZED = 3, PATIENCE_MS = 60000 };

/* Fork, and require that `claims` hold in the child. */
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

static void is_told_that_it_must_not(struct host_plugin *plugin, char **words)
{
    struct plugin_facts facts;
    int count;

    REQUIRE(plugin->functions->count_devices(&count) == NOT_INITIALIZED);
    REQUIRE(plugin->functions->init() == NOT_INITIALIZED);
    plugin->functions->tell(&facts);
    REQUIRE(strcmp(facts.state, "forked") == 0);
    host_close(plugin, words[0]);
}

static void goes_on(struct host_plugin *plugin, char **words)
{
    (void)plugin, (void)words;
}

/* fork-before PLUGIN: it forks before it opens the plugin, and before that loads a driver. */
int fork_before(char **words)
{
    struct host_plugin plugin = {0};

    in_a_child(opens_and_uses_it, &plugin, words);
    plugin = host_open(words[0], RTLD_LOCAL);
    in_a_child(initialises, &plugin, words);
    REQUIRE(plugin.functions->load() == 0);
    in_a_child(initialises, &plugin, words);
    initialises(&plugin, words);
    host_close(&plugin, words[0]);
    return 0;
}

/* fork-after PLUGIN PLUGIN: it forks once the first has initialised; the second only loaded. */
int fork_after(char **words)
{
    struct host_plugin one = host_open(words[0], RTLD_LOCAL);
    struct host_plugin other = host_open(words[1], RTLD_LOCAL);

    REQUIRE(one.functions->init() == 0);
    REQUIRE(other.functions->load() == 0);
    in_a_child(is_told_that_it_must_not, &one, words);
    in_a_child(is_told_that_it_must_not, &other, words + 1);
    initialises(&one, words);
    initialises(&other, words);
    return 0;
}

/* fork-closed PLUGIN: it forks after the plugin is gone, and the handlers for fork with it. */
int fork_closed(char **words)
{
    struct host_plugin plugin = host_open(words[0], RTLD_LOCAL);

    initialises(&plugin, words);
    host_close(&plugin, words[0]);
    in_a_child(goes_on, &plugin, words);
    opens_and_uses_it(&plugin, words);
    return 0;
}

/* secure PLUGIN: the process has more rights than its user; the environment names a driver. */
int secure(char **words)
{
    struct host_plugin plugin = host_open(words[0], RTLD_LOCAL);
    struct plugin_facts facts;

    REQUIRE(getenv("CUSHIM_LIBRARY"));
    plugin.functions->load();
    plugin.functions->tell(&facts);
    printf("%s %s %s\n", getauxval(AT_SECURE) ? "secure" : "plain", facts.origin, facts.library);
    return 0;
}

/* --- a plugin in use --- */

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

/* busy PLUGIN: it is closed while another thread waits in the driver, and must not go away. */
int busy(char **words)
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

/* handler PLUGIN: the first call comes from a handler for the end of the process. */
static struct host_plugin late;

static void use_it_late(void)
{
    struct plugin_facts facts;

    late.functions->load();
    late.functions->tell(&facts);
    REQUIRE(facts.state[0] && strcmp(facts.state, "untried") != 0);
}

int handler(char **words)
{
    REQUIRE(atexit(use_it_late) == 0);
    late = host_open(words[0], RTLD_LOCAL);
    return 0;
}
