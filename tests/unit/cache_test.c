/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of glibc's dynamic linker, written here in the formats that ldconfig has had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "loader/cache.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NAME "libcuda.so.1"
#define ENTRY_BYTES 24
#define HEAD_BYTES 48

/* Texts of a cache lie behind its entries. */
struct cache {
    unsigned char bytes[1024];
    size_t size;
};

static const char *const others[] = {"libc.so.6", "libcuda.so", "libcuda.so.10", "libz.so.1", "l"};

static void put(struct cache *cache, size_t place, uint32_t number)
{
    memcpy(cache->bytes + place, &number, sizeof number);
}

/* What a cache says of the order of its bytes. */
static unsigned own_order(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, sizeof first);
    return first ? 2 : 3;
}

/* Begin at `start`; places are counted from there. */
static void write_cache(struct cache *cache, size_t start, const char *const *names, size_t count)
{
    size_t text = HEAD_BYTES + count * ENTRY_BYTES;

    memcpy(cache->bytes + start, "glibc-ld.so.cache1.1", 20);
    put(cache, start + 20, (uint32_t)count);
    cache->bytes[start + 28] = (unsigned char)own_order();
    for (size_t i = 0; i < count; i++) {
        const size_t entry = start + HEAD_BYTES + i * ENTRY_BYTES;
        put(cache, entry, 0x0303);
        put(cache, entry + 4, (uint32_t)text);
        put(cache, entry + 8, (uint32_t)text);
        memcpy(cache->bytes + start + text, names[i], strlen(names[i]) + 1);
        text += strlen(names[i]) + 1;
    }
    put(cache, start + 24, (uint32_t)(text - HEAD_BYTES - count * ENTRY_BYTES));
    cache->size = start + text;
}

/* The same behind two entries of the format before it. */
static void write_both(struct cache *cache, const char *const *names, size_t count)
{
    const size_t end_of_old = 16 + 2 * 12;

    memcpy(cache->bytes, "ld.so-1.7.0", 11);
    put(cache, 12, 2);
    write_cache(cache, (end_of_old + 7) / 8 * 8, names, count);
}

static bool lacks(const struct cache *cache)
{
    return cushim__cache_lacks(folder_write("ld.so.cache", cache->bytes, cache->size), NAME);
}

static void cache_without_the_name_lacks_it(void **state)
{
    struct cache cache = {.size = 0}, both = {.size = 0}, none = {.size = 0};

    (void)state;
    write_cache(&cache, 0, others, COUNT(others));
    assert_true(lacks(&cache));
    write_both(&both, others, COUNT(others));
    assert_true(lacks(&both));
    write_cache(&none, 0, others, 0);
    assert_true(lacks(&none));
}

static void cache_with_the_name_anywhere_does_not_lack_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        const char *names[COUNT(others)];
        struct cache cache = {.size = 0}, both = {.size = 0};

        memcpy(names, others, sizeof names);
        names[i] = NAME;
        write_cache(&cache, 0, names, COUNT(names));
        assert_false(lacks(&cache));
        write_both(&both, names, COUNT(names));
        assert_false(lacks(&both));
    }
}

static void name_with_a_leading_zero_is_the_name(void **state)
{
    const char *const names[] = {"libcuda.so.01"};
    struct cache cache = {.size = 0};

    (void)state;
    write_cache(&cache, 0, names, COUNT(names));
    assert_false(lacks(&cache));
}

static void cache_that_is_cut_short_tells_nothing(void **state)
{
    struct cache cache = {.size = 0};

    (void)state;
    write_both(&cache, others, COUNT(others));
    while (cache.size-- > 0)
        assert_false(lacks(&cache));
}

static void cache_of_another_format_tells_nothing(void **state)
{
    struct cache cache = {.size = 0}, old;

    (void)state;
    write_both(&cache, others, COUNT(others));
    old = cache;
    old.size = 40;
    assert_false(lacks(&old));
    cache.bytes[40 + 18] = '2'; /* the version */
    assert_false(lacks(&cache));
    memset(cache.bytes, 'x', sizeof cache.bytes);
    assert_false(lacks(&cache));
}

static void cache_of_another_order_of_bytes_tells_nothing(void **state)
{
    struct cache cache = {.size = 0};

    (void)state;
    write_cache(&cache, 0, others, COUNT(others));
    cache.bytes[28] = (unsigned char)(5 - own_order());
    assert_false(lacks(&cache));
    cache.bytes[28] = 0; /* not told, by older ones */
    assert_true(lacks(&cache));
}

static void cache_that_points_beyond_its_end_tells_nothing(void **state)
{
    static const struct {
        size_t place;
        uint32_t number;
    } lies[] = {
        {20, 1000},                       /* entries */
        {20, UINT32_MAX},                 /* entries */
        {HEAD_BYTES + 4, 100000},         /* the first name */
        {HEAD_BYTES + 4, UINT32_MAX - 4}, /* the first name */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct cache cache = {.size = 0};
        write_cache(&cache, 0, others, COUNT(others));
        put(&cache, lies[i].place, lies[i].number);
        assert_false(lacks(&cache));
    }
}

/* The paths that are visited, one after the other. */
struct visits {
    char paths[256];
    unsigned left; /* so many more are wanted */
};

static bool note_visit(const char *path, void *data)
{
    struct visits *visits = data;

    strcat(visits->paths, path);
    strcat(visits->paths, " ");
    return visits->left-- > 1;
}

static int32_t own_kind(void)
{
#if defined(__aarch64__)
    return 0x0a03;
#else
    return 0x0303;
#endif
}

/* The second entry is for another processor; names and paths are the same texts here. */
static const char *const with_several[] = {"libc.so.6", NAME, "libcuda.so.01", NAME};

static void files_of_the_name_are_visited_if_they_are_for_this_process(void **state)
{
    struct visits all = {.left = 10}, one = {.left = 1};
    struct cache cache = {.size = 0};

    (void)state;
    write_cache(&cache, 0, with_several, COUNT(with_several));
    for (size_t i = 0; i < COUNT(with_several); i++)
        put(&cache, HEAD_BYTES + i * ENTRY_BYTES, i == 1 ? 0x0003 : (uint32_t)own_kind());
    assert_int_equal(cushim__cache_look_at(cache.bytes, cache.size, NAME, note_visit, &all),
                     CUSHIM__CACHED_FILES);
    assert_string_equal(all.paths, "libcuda.so.01 " NAME " ");
    assert_int_equal(cushim__cache_look_at(cache.bytes, cache.size, NAME, note_visit, &one),
                     CUSHIM__CACHED_STOPPED);
    assert_string_equal(one.paths, "libcuda.so.01 ");
}

static void path_beyond_the_end_is_not_visited(void **state)
{
    static const uint32_t places[] = {100000, UINT32_MAX, UINT32_MAX - 4};
    const char *const names[] = {NAME};

    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        struct visits visits = {.left = 10};
        struct cache cache = {.size = 0};
        write_cache(&cache, 0, names, COUNT(names));
        put(&cache, HEAD_BYTES, (uint32_t)own_kind());
        put(&cache, HEAD_BYTES + 8, places[i]);
        assert_int_equal(cushim__cache_look_at(cache.bytes, cache.size, NAME, note_visit, &visits),
                         CUSHIM__CACHED_FILES);
        assert_string_equal(visits.paths, "");
    }
}

static void pipe_in_the_place_of_a_cache_is_not_waited_for(void **state)
{
    (void)state;
    assert_false(cushim__cache_lacks(folder_pipe("pipe"), NAME));
}

static void no_cache_tells_nothing(void **state)
{
    (void)state;
    assert_false(cushim__cache_lacks(folder_path("nowhere"), NAME));
    assert_false(cushim__cache_lacks(folder_path("."), NAME));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_without_the_name_lacks_it),
        cmocka_unit_test(cache_with_the_name_anywhere_does_not_lack_it),
        cmocka_unit_test(name_with_a_leading_zero_is_the_name),
        cmocka_unit_test(cache_that_is_cut_short_tells_nothing),
        cmocka_unit_test(cache_of_another_format_tells_nothing),
        cmocka_unit_test(cache_of_another_order_of_bytes_tells_nothing),
        cmocka_unit_test(cache_that_points_beyond_its_end_tells_nothing),
        cmocka_unit_test(files_of_the_name_are_visited_if_they_are_for_this_process),
        cmocka_unit_test(path_beyond_the_end_is_not_visited),
        cmocka_unit_test(pipe_in_the_place_of_a_cache_is_not_waited_for),
        cmocka_unit_test(no_cache_tells_nothing),
    };

    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
