/* SPDX-License-Identifier: Apache-2.0 */
/* Two plugins, each with a cushim of its own, in one process. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { NOT_INITIALIZED = 3 };

/* Each has the cushim that it was built with, or both have one. */
static void require_two(const struct plugin *one, const struct plugin *other, bool two)
{
    struct plugin_facts a, b;

    one->tell(&a);
    other->tell(&b);
    REQUIRE((a.current != b.current) == two);
    REQUIRE((a.version != b.version) == two);
    REQUIRE((a.symbols != b.symbols) == two);
    REQUIRE(a.slots == a.symbols);
    REQUIRE((b.slots == b.symbols) == two);
}

/* One driver, one primary context: whoever initialises, the other sees it. */
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
    one->tell(&a);
    other->tell(&b);
    REQUIRE(a.library[0] && strcmp(a.library, b.library) == 0);
    REQUIRE(a.table_size == (a.slots + 1) * sizeof(void *));
    REQUIRE(b.table_size == (b.slots + 1) * sizeof(void *));
    REQUIRE(one->release() == 0);
    REQUIRE(other->release() == 0);
}

/* pair PLUGIN PLUGIN global|local two|bound */
int pair(char **words)
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

/* Registered before those of the plugins, so called after them. */
static void judge(void)
{
    REQUIRE(first_code == expected_at_exit);
    REQUIRE(second_code == expected_at_exit);
}

/* order PLUGIN PLUGIN CODE first|second|none|exit: which is closed first; then the process ends. */
int order(char **words)
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
