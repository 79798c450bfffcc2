/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolizes with addr2line, or with LLVM's tools, which have the same options. Each module has a
 * process of the tool, which reads an address and writes two lines for each function that is
 * inlined there. It is started without a shell, and a name in the text is never taken as a path.
 */
#define _GNU_SOURCE
#include "src/tool/symbolize/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/tool/base/output.h"

/* A limit, so that a text cannot start an unlimited number of processes. */
enum { MODULES = 64, PATH_SIZE = 4096 };

struct module {
    char name[64];
    FILE *to, *from; /* the tool's socket; NULL if the module was not found or the tool has ended */
    pid_t tool;
};

static struct module modules[MODULES];
static size_t count;

/* Whether a file begins like an ELF file. Pipes and devices are not opened. */
static bool is_elf(const char *path)
{
    char magic[4] = "";
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    const bool is = file && fread(magic, sizeof magic, 1, file) == 1 &&
                    memcmp(magic, "\177ELF", sizeof magic) == 0;

    if (file)
        fclose(file);
    return is;
}

/* Look for an ELF file in a list of folders; empty names in the list are skipped. */
static bool find_in(const char *folders, const char *name, char *path)
{
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");

        if (length > 0 && length + strlen(name) + 2 < PATH_SIZE) {
            snprintf(path, PATH_SIZE, "%.*s/%s", (int)length, folders, name);
            if (is_elf(path))
                return true;
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool find_file(const char *folder, const char *name, char *path)
{
    return (folder && find_in(folder, name, path)) || find_in(".", name, path) ||
           find_in(getenv("PATH"), name, path) || find_in(getenv("LD_LIBRARY_PATH"), name, path) ||
           find_in("/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:/lib64:/lib:/usr/lib64:/usr/lib:"
                   "/usr/local/lib",
                   name, path);
}

int symbolizer_spawn(const char *const *words, int from, int to, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawnp(child, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static const char *const tools[] = {"addr2line", "llvm-addr2line", "llvm-symbolizer"};

/* Start a tool, which reads from one end of a socket and writes to it. */
static void start(struct module *module, const char *path)
{
    int ends[2], error = ENOENT;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    for (size_t i = 0; error && i < sizeof tools / sizeof *tools; i++) {
        const char *style = strstr(tools[i], "symbolizer") ? "--output-style=GNU" : "-f";
        const char *const words[] = {tools[i], style, "-a", "-i", "-f", "-C", "-e", path, NULL};

        error = symbolizer_spawn(words, ends[1], ends[1], &module->tool);
    }
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return;
    }
    module->to = fdopen(ends[0], "w");
    module->from = fdopen(fcntl(ends[0], F_DUPFD_CLOEXEC, 0), "r");
    if (!module->to || !module->from)
        output_memory(SIZE_MAX); /* prints that memory ran out, and ends the process */
}

static void end(struct module *module)
{
    if (!module->to)
        return;
    fclose(module->to);
    fclose(module->from);
    module->to = module->from = NULL;
    while (waitpid(module->tool, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* Returns NULL if there are too many modules or the name is too long. */
static struct module *find_module(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    struct module *module;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(modules[i].name, name) == 0)
            return &modules[i];
    }
    if (count == MODULES || strlen(name) >= sizeof module->name)
        return NULL;
    module = &modules[count++];
    snprintf(module->name, sizeof module->name, "%s", name);
    if (find_file(folder, name, path))
        start(module, path);
    return module;
}

/* Read a line, without its newline; what does not fit is dropped. */
static bool read_line(FILE *file, char *line, size_t size)
{
    int byte;
    size_t length = 0;

    while ((byte = getc(file)) != EOF && byte != '\n') {
        if (length + 1 < size)
            line[length++] = (char)(byte >= ' ' && byte != 127 ? byte : '?');
    }
    line[length] = '\0';
    return byte != EOF;
}

/*
 * Write an address to the tool, and another that no module has, whose answer marks the end of the
 * first. SIGPIPE is ignored, because the tool may have ended.
 */
static bool ask(const struct module *module, uint64_t offset)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    bool is_asked;

    fprintf(module->to, "0x%llx\n0xffffffffffffffff\n", (unsigned long long)offset);
    is_asked = fflush(module->to) == 0;
    signal(SIGPIPE, before);
    return is_asked;
}

/* Read the function and the place of a frame, or the address that precedes its frames. */
static bool read_frame(struct module *module, char *function, size_t size, char *place,
                       size_t place_size)
{
    char *remark;

    if (!read_line(module->from, function, size))
        return false;
    place[0] = '\0';
    if (strncmp(function, "0x", 2) == 0)
        return true;
    if (!read_line(module->from, place, place_size))
        return false;
    remark = strstr(place, " (discriminator");
    if (remark)
        *remark = '\0';
    return true;
}

bool symbolizer_find(const char *folder, const char *name, uint64_t offset, char *text, size_t size)
{
    struct module *module = find_module(folder, name);
    char function[400], place[1200];
    unsigned addresses = 0;
    size_t length = 0;

    if (!module || !module->to)
        return false;
    if (!ask(module, offset)) {
        end(module);
        return false;
    }
    /* The address and its frames, innermost first; then the other address and its only frame. */
    while (read_frame(module, function, sizeof function, place, sizeof place)) {
        if (!place[0])
            addresses++;
        else if (addresses == 2)
            return length > 0;
        /*
         * Without a line, the function may be wrong: just the nearest symbol that a library
         * exports.
         */
        else if (strcmp(function, "??") != 0 && strncmp(place, "??", 2) != 0 && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s (%s)",
                                       length > 0 ? " " : "", function, place);
    }
    end(module);
    return false;
}

const char *symbolizer_obstacle(void)
{
    char path[PATH_SIZE];

    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (find_in(getenv("PATH"), tools[i], path))
            return NULL;
    }
    return "There is neither addr2line nor llvm-symbolizer in the folders of PATH.";
}

void symbolizer_end(void)
{
    for (size_t i = 0; i < count; i++)
        end(&modules[i]);
    count = 0;
}
