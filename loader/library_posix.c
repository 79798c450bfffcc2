/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries by the dynamic linker of glibc or of musl. */
#define _GNU_SOURCE
#include "loader/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <locale.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "loader/places.h"
#include "src/base/system.h"
#include "src/base/text.h"

/* `libcuda.so` is not tried, since that is the name of the toolkit's link-time stub. */
#define TRIED(folder) {CUSHIM_ORIGIN_WELL_KNOWN, folder "/libcuda.so.1"},
#define NOT_TRIED(folder)
#if defined(__aarch64__)
#define TRIED_ON_AARCH64 TRIED
#else
#define TRIED_ON_AARCH64 NOT_TRIED
#endif
const struct cushim__place cushim__places[] = {
    {CUSHIM_ORIGIN_SEARCH, "libcuda.so.1"},
    CUSHIM__FOLDERS(TRIED, TRIED_ON_AARCH64, NOT_TRIED, NOT_TRIED){CUSHIM_ORIGIN_SEARCH, NULL},
};

/*
 * For packagers: a file with this note opens libcuda.so.1 and works without it (ELF dlopen
 * metadata, uapi-group.org). The linker's garbage collection and strip keep notes.
 */
#define NOTE                                                                              \
    "[{\"feature\":\"cuda\",\"description\":\"Use NVIDIA GPUs through the CUDA driver\"," \
    "\"priority\":\"suggested\",\"soname\":[\"libcuda.so.1\"]}]"

/* clang's ASan would put padding after the note, which readers of notes do not expect. */
#if defined(__clang__)
#define NOTE_ALONE no_sanitize("address"),
#else
#define NOTE_ALONE
#endif

__attribute__((NOTE_ALONE used, section(".note.dlopen"), aligned(4))) static const struct {
    uint32_t name_size, content_size, type;
    char name[4];
    char content[(sizeof NOTE + 3) / 4 * 4];
} note = {sizeof note.name, sizeof NOTE, 0x407c0c0a, "FDO", NOTE};

/*
 * dlerror() has no error codes, so its text is compared. Only the end is compared, since the path
 * at the beginning may contain anything.
 */
static const struct {
    const char *suffix;
    enum cushim_outcome outcome;
} endings[] = {
    {": Permission denied", CUSHIM_OUTCOME_NO_PERMISSION},
    {": invalid ELF header", CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {": Is a directory", CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {": Exec format error", CUSHIM_OUTCOME_NOT_A_LIBRARY}, /* musl */
    {": only ET_DYN and ET_EXEC can be loaded", CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {": cannot dynamically load executable", CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {": cannot dynamically load position-independent executable", CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {": file too short", CUSHIM_OUTCOME_TRUNCATED},
    {": wrong ELF class: ELFCLASS32", CUSHIM_OUTCOME_WRONG_ARCHITECTURE},
    {": ELF file data encoding not little-endian", CUSHIM_OUTCOME_WRONG_ARCHITECTURE},
    {": Too many open files", CUSHIM_OUTCOME_NO_DESCRIPTOR},
    {": Too many open files in system", CUSHIM_OUTCOME_NO_DESCRIPTOR},
    {": No file descriptors available", CUSHIM_OUTCOME_NO_DESCRIPTOR}, /* musl */
    {": Cannot allocate memory", CUSHIM_OUTCOME_NO_MEMORY},
    {": Out of memory", CUSHIM_OUTCOME_NO_MEMORY}, /* musl */
    {"out of memory", CUSHIM_OUTCOME_NO_MEMORY},
};

enum cushim_outcome cushim__outcome_of_errno(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return CUSHIM_OUTCOME_NOT_FOUND;
    case EACCES:
        return CUSHIM_OUTCOME_NO_PERMISSION;
    case EMFILE:
    case ENFILE:
        return CUSHIM_OUTCOME_NO_DESCRIPTOR;
    case ENOMEM:
        return CUSHIM_OUTCOME_NO_MEMORY;
    case ENXIO: /* a socket */
        return CUSHIM_OUTCOME_NOT_A_LIBRARY;
    default:
        return CUSHIM_OUTCOME_NOT_LOADABLE;
    }
}

static bool ends_with(const char *message, const char *suffix)
{
    const size_t length = strlen(message), count = strlen(suffix);

    return length >= count && strcmp(message + length - count, suffix) == 0;
}

/*
 * Derive the outcome from the linker's message, which names the file that failed: the candidate, by
 * its name or by the path that the search found, or a library that it needs.
 */
static enum cushim_outcome classify(const char *path, const char *message)
{
    static const char musl_unresolved[] = "Error relocating ";
    const char *name = strstr(message, path);
    const bool is_candidate = name && name[strlen(path)] == ':' &&
                              (name == message || name[-1] == '/' || name[-1] == ' ');

    if (strncmp(message, musl_unresolved, sizeof musl_unresolved - 1) == 0)
        return CUSHIM_OUTCOME_OTHER_C_LIBRARY;
    if (strstr(message, "No such file or directory"))
        return is_candidate ? CUSHIM_OUTCOME_NOT_FOUND : CUSHIM_OUTCOME_LACKS_LIBRARY;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const bool is_exhausted = endings[i].outcome == CUSHIM_OUTCOME_NO_DESCRIPTOR ||
                                  endings[i].outcome == CUSHIM_OUTCOME_NO_MEMORY;

        if (ends_with(message, endings[i].suffix) && (is_candidate || is_exhausted))
            return endings[i].outcome;
    }
    return CUSHIM_OUTCOME_NOT_LOADABLE;
}

/* The first object is the program, except in a namespace of dlmopen(). */
static int look_at_program(struct dl_phdr_info *program, size_t size, void *is_static)
{
    (void)size;
    *(bool *)is_static = program->dlpi_phnum > 0;
    for (unsigned i = 0; i < program->dlpi_phnum; i++)
        *(bool *)is_static &= program->dlpi_phdr[i].p_type != PT_INTERP;
    return 1;
}

/*
 * dlopen() fails in a static program with musl. With glibc it loads a second C library into the
 * process, which crashes unless both are of the same build.
 *
 * Such a program has no PT_INTERP, and the kernel passes AT_BASE = 0. AT_BASE is also 0 for a
 * program that is started as an argument of ld.so, so the program headers are checked too.
 */
static bool program_is_static(void)
{
    struct dl_phdr_info program = {.dlpi_phdr = NULL};
    const uintptr_t headers = getauxval(AT_PHDR);
    bool is_static = false;

    if (getauxval(AT_BASE) != 0)
        return false;
    dl_iterate_phdr(look_at_program, &is_static);
    /* glibc's linker replaces its own headers with those of the program that it runs. */
    if (is_static && headers) {
        memcpy(&program.dlpi_phdr, &headers, sizeof headers);
        program.dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
        look_at_program(&program, sizeof program, &is_static);
    }
    return is_static;
}

/* glibc's linker replaces these with folders, even in a path that is passed to dlopen(). */
static bool has_placeholder(const char *path)
{
    return strstr(path, "$ORIGIN") || strstr(path, "$LIB") || strstr(path, "$PLATFORM") ||
           strstr(path, "${");
}

void *cushim__library_open(struct cushim__candidate *candidate)
{
    locale_t english, before;
    const char *message;
    void *library;

    if (program_is_static()) {
        cushim__reject(candidate, CUSHIM_OUTCOME_STATIC_PROGRAM,
                       "this program is linked statically");
        return NULL;
    }
    /* Only the linker knows what a search by name finds, and what placeholders stand for. */
    if (cushim__system_path_is_absolute(candidate->path) && !has_placeholder(candidate->path) &&
        !cushim__elf_check(candidate))
        return NULL;
    library = dlopen(candidate->path, RTLD_NOW | RTLD_LOCAL);
    if (library)
        return library;

    /* glibc translates for a program that has called setlocale(), but classify() reads English. */
    english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    before = uselocale(english); /* changes nothing if newlocale() failed */
    message = dlerror();
    uselocale(before);
    if (english)
        freelocale(english);
    if (!message)
        message = "dlopen failed without a message";
    cushim__reject(candidate, classify(candidate->path, message), message);
    return NULL;
}

void cushim__library_close(void *library)
{
    dlclose(library);
}

cushim_function cushim__library_symbol(const char *symbol, void *library)
{
    cushim_function function = NULL;
    void *address = dlsym(library, symbol);

    memcpy(&function, &address, sizeof function);
    return function;
}

void cushim__library_path(void *library, char *path, size_t size)
{
    char folder[CUSHIM_REPORT_PATH_BYTES];
    struct link_map *map = NULL;
    struct cushim__text text;

    cushim__text_begin(&text, path, size);
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name || !map->l_name[0])
        return;
    /* The program may change its current folder later. */
    if (map->l_name[0] != '/' && getcwd(folder, sizeof folder))
        cushim__text_format(&text, "%s/", folder);
    cushim__text_add(&text, map->l_name);
}

void cushim__function_path(cushim_function function, char *path, size_t size)
{
    Dl_info info;
    void *address;

    memcpy(&address, &function, sizeof address);
    path[0] = '\0';
    if (dladdr(address, &info) && info.dli_fname)
        cushim__text_copy(path, size, info.dli_fname);
}

struct other_driver {
    const char *library; /* the path of the known one */
    char *path;
    size_t size;
};

static int look_for_other(struct dl_phdr_info *object, size_t size, void *data)
{
    const struct other_driver *other = data;
    const char *name = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;

    (void)size;
    if (!name || strncmp(name, "/libcuda.so", strlen("/libcuda.so")) != 0 ||
        strcmp(object->dlpi_name, other->library) == 0 ||
        cushim__system_path_is_same_file(object->dlpi_name, other->library))
        return 0;
    cushim__text_copy(other->path, other->size, object->dlpi_name);
    return 1;
}

void cushim__other_driver(const char *library, char *path, size_t size)
{
    struct other_driver other = {library, path, size};

    path[0] = '\0';
    dl_iterate_phdr(look_for_other, &other);
}
