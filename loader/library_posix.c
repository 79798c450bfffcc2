/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries by the dynamic linker: of glibc, or of musl. */
#define _GNU_SOURCE
#include "loader/library.h"

#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <string.h>
#include <sys/auxv.h>

#include "loader/elf.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "loader/shortage.h"
#include "loader/system.h"
#include "loader/text.h"

/* How a driver is opened: for good. */
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

/*
 * Read an outcome out of the dynamic linker's words: it has no error codes. Both glibc and musl
 * name the file that failed; a name other than the candidate's is a library that it needs.
 */
static enum cushim_outcome judge(const char *path, const char *message)
{
    static const char musl_prefix[] = "Error loading shared library ";
    static const char musl_unresolved[] = "Error relocating ";
    const bool absent = strstr(message, "No such file or directory") != NULL;
    const enum cushim_outcome shortage = cushim__shortage_told(message);

    if (shortage != CUSHIM_OUTCOME_NOT_LOADABLE)
        return shortage;
    if (strncmp(message, musl_unresolved, sizeof musl_unresolved - 1) == 0)
        return CUSHIM_OUTCOME_OTHER_C_LIBRARY;
    if (strncmp(message, musl_prefix, sizeof musl_prefix - 1) == 0)
        message += sizeof musl_prefix - 1;
    if (strncmp(message, path, strlen(path)) == 0 && message[strlen(path)] == ':')
        return absent && !cushim__path_is_absolute(path) ? CUSHIM_OUTCOME_NOT_FOUND
                                                         : CUSHIM_OUTCOME_NOT_LOADABLE;
    return absent ? CUSHIM_OUTCOME_LACKS_LIBRARY : CUSHIM_OUTCOME_NOT_LOADABLE;
}

/* The first object is the program, but in a namespace of dlmopen(). */
static int look_at_program(struct dl_phdr_info *program, size_t size, void *is_static)
{
    (void)size;
    *(bool *)is_static = program->dlpi_phnum > 0;
    for (unsigned i = 0; i < program->dlpi_phnum; i++)
        *(bool *)is_static &= program->dlpi_phdr[i].p_type != PT_INTERP;
    return 1;
}

/*
 * dlopen() of a static program does nothing with musl. With glibc it brings a second C library into
 * the process, which crashes unless both are of the same build.
 *
 * Such a program names no linker, and the kernel has put none beside it (AT_BASE); it puts none
 * beside a program that is given to the linker on the command line, either.
 */
static bool program_is_static(void)
{
    struct dl_phdr_info program = {.dlpi_phdr = NULL};
    const uintptr_t headers = getauxval(AT_PHDR);
    bool is_static = false;

    if (getauxval(AT_BASE) != 0)
        return false;
    dl_iterate_phdr(look_at_program, &is_static);
    /* glibc's linker puts the headers of what it was given in the place of its own. */
    if (is_static && headers) {
        memcpy(&program.dlpi_phdr, &headers, sizeof headers);
        program.dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
        look_at_program(&program, sizeof program, &is_static);
    }
    return is_static;
}

/* glibc translates for a program that has called setlocale(), and judge() reads English. */
static void *open_library(struct cushim_candidate *candidate)
{
    void *library = dlopen(candidate->path, OPEN_FLAGS);
    const char *message;
    locale_t english, before;

    if (library)
        return library;
    english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    before = uselocale(english); /* changes nothing if that failed */
    message = dlerror();
    uselocale(before);
    if (english)
        freelocale(english);
    if (!message)
        message = "dlopen failed without a message";
    candidate->outcome = judge(candidate->path, message);
    cushim__text_copy(candidate->message, sizeof candidate->message, message);
    return NULL;
}

/* glibc's words if it has met nothing but files of another word size: it names none of them. */
static bool is_other_class(const struct cushim_candidate *candidate)
{
    const size_t length = strlen(candidate->path);

    return strncmp(candidate->message, candidate->path, length) == 0 &&
           strncmp(candidate->message + length, ": wrong ELF class", 17) == 0;
}

static void *search_library(struct cushim_candidate *candidate)
{
    struct cushim_candidate passed_over;
    void *library;

    if (cushim__search_look(candidate, &passed_over) != CUSHIM__LOOK_ASK)
        return NULL;
    library = open_library(candidate);
    /* The linker says that there is none, which is not what the user sees. */
    if (!library && passed_over.path[0] &&
        (candidate->outcome == CUSHIM_OUTCOME_NOT_FOUND || is_other_class(candidate)))
        cushim__search_adopt(candidate, &passed_over);
    return library;
}

/*
 * glibc's linker puts folders of its own for these, in a path that is given to dlopen() as well: it
 * would open another file than the one that was named and looked at.
 */
static bool has_placeholder(const char *path)
{
    static const char *const names[] = {"ORIGIN", "PLATFORM", "LIB"};

    while ((path = strchr(path, '$'))) {
        path += path[1] == '{' ? 2 : 1;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (strncmp(path, names[i], strlen(names[i])) == 0)
                return true;
        }
    }
    return false;
}

void *cushim__library_open(struct cushim_candidate *candidate)
{
    if (program_is_static()) {
        candidate->outcome = CUSHIM_OUTCOME_STATIC_PROGRAM;
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          "this program is linked statically");
        return NULL;
    }
    if (!cushim__path_is_absolute(candidate->path))
        return search_library(candidate);
    if (has_placeholder(candidate->path)) {
        candidate->outcome = CUSHIM_OUTCOME_REFUSED;
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          "the dynamic linker would put another folder for $ORIGIN, $LIB or "
                          "$PLATFORM in the path");
        return NULL;
    }
    return cushim__elf_check(candidate) ? open_library(candidate) : NULL;
}

void *cushim__library_mapped(const char *name)
{
    char path[CUSHIM_REPORT_PATH_BYTES];

    /*
     * By its path, or the linker searches for a file of that name before it looks what is mapped.
     */
    if (program_is_static() || !cushim__mapped_find(name, path, sizeof path))
        return NULL;
    return dlopen(path, OPEN_FLAGS | RTLD_NOLOAD);
}

cushim_function cushim__library_symbol(void *library, const char *symbol)
{
    cushim_function function = NULL;
    void *address = dlsym(library, symbol);

    memcpy(&function, &address, sizeof function);
    return function;
}

void cushim__library_path(cushim_function function, char *path, size_t size)
{
    Dl_info info;
    void *address;

    memcpy(&address, &function, sizeof address);
    path[0] = '\0';
    if (cushim__mapped_holding((uintptr_t)address, path, size))
        return;
    /* In the program, or in another namespace. It walks through all symbols to name one. */
    if (dladdr(address, &info) && info.dli_fname)
        cushim__text_copy(path, size, info.dli_fname);
}
