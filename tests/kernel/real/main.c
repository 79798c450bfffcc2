/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real kernels in PTX of four compilers, compared with the results of an H200 or with the same
 * computations in C: see usage() below.
 *
 * A plain program, which needs only the C library, so that it can be copied to a machine with a
 * GPU. Each text runs in a process of its own, and so does each kernel that faults.
 */
#define _DEFAULT_SOURCE
#include <cushim/cushim.h>
#include <cushim/testing/mock.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"

enum { MOST_CASES = 256, MOST_TEXTS = 64, TEXT_BYTES = 1 << 20 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct kernel_case *cases[MOST_CASES];
static size_t case_count;

/* Memory that the processes share. */
static struct {
    unsigned well, bad, races, entries, launched[MOST_CASES];
} * shared;

static struct {
    const char *driver, *only, *settings, *folder;
    bool digests;
} options = {.driver = "mock", .only = "", .settings = ""};

static int usage(FILE *file)
{
    fprintf(file,
            "usage: real [OPTION]... FOLDER\n"
            "FOLDER contains the PTX texts; h200.txt beside it has digests of an H200's results.\n"
            "  --driver=mock|real|PATH  the mock in this process, the driver of this machine,\n"
            "                           or a library (default: mock)\n"
            "  --only=TEXT              only kernels whose line contains TEXT\n"
            "  --digests                print the digests of the results, for h200.txt\n"
            "  --settings=TEXT          settings of the mock, lines of key = value\n");
    return file == stdout ? 0 : 2;
}

static void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "real: %s: %d\n", what, (int)result);
        exit(2);
    }
}

static void log_line(void *data, const char *line)
{
    (void)data;
    fprintf(stderr, "%s\n", line);
}

static struct cushim_mock *mock; /* NULL: another driver */

static void open_mock(void)
{
    static char why[300];
    const struct cushim_mock_options mock_options = {
        .size = sizeof mock_options,
        .settings = options.settings,
        .message = why,
        .message_size = sizeof why,
    };

    must(cushim_mock_create(&mock_options, &mock), why);
    cushim_mock_set_log(mock, log_line, NULL);
    must(cushim_mock_install(mock), "cushim_mock_install");
}

static void open_driver(void)
{
    const struct cushim_load_options load = {
        .size = sizeof load,
        .library = strcmp(options.driver, "real") == 0 ? NULL : options.driver,
    };
    char report[2000];
    CUdevice device;
    CUcontext context;
    CUresult result;

    if (strcmp(options.driver, "mock") == 0) {
        open_mock();
    } else {
        result = cushim_driver_init(&load);
        cushim_report_write_text(report, sizeof report);
        must(result, report);
    }
    cu = cushim_driver();
    must(cu->Init(0), "cuInit");
    must(cu->DeviceGet(&device, 0), "cuDeviceGet");
    must(cu->DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cu->CtxSetCurrent(context), "cuCtxSetCurrent");
}

static const char *read_text(const char *name)
{
    static char text[TEXT_BYTES];
    char path[1000];
    FILE *file;
    size_t bytes;

    snprintf(path, sizeof path, "%s/%s", options.folder, name);
    file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    bytes = fread(text, 1, sizeof text - 1, file);
    text[bytes] = '\0';
    fclose(file);
    return text;
}

/* Compare the digest of a result with the GPU's, or print it. */
static void judge_digest(const char *name, const char *kernel, struct outcome *outcome)
{
    char line[300];
    const char *found;

    snprintf(line, sizeof line, "%s %s ", name, kernel);
    if (options.digests) {
        printf("%s%016" PRIx64 "\n", line, outcome->digest);
        return;
    }
    found = strstr(read_text("../h200.txt"), line);
    if (found && strtoull(found + strlen(line), NULL, 16) == outcome->digest)
        return;
    outcome->well = false;
    snprintf(outcome->why, sizeof outcome->why, "%s",
             found ? "the results are not those of an H200" : "h200.txt does not have it");
}

static unsigned count_entries(const char *text)
{
    unsigned count = 0;

    while ((text = strstr(text, ".entry "))) {
        text++;
        count++;
    }
    return count;
}

static void run_case(size_t index, const char *name, CUmodule module)
{
    const struct kernel_case *row = cases[index];
    const bool arrays = strncmp(name, "numba-", 6) == 0;
    struct outcome outcome;
    char line[300];
    CUfunction function;

    snprintf(line, sizeof line, "%s %s", name, row->kernel);
    if (cu->ModuleGetFunction(&function, module, row->kernel) == CUDA_SUCCESS)
        shared->entries += row->second ? 2 : 1;
    if (!strstr(line, options.only))
        return;
    outcome = job_run(row, module, arrays);
    if (!outcome.present)
        return;
    if (!row->computed && outcome.well)
        judge_digest(name, row->kernel, &outcome);
    shared->launched[index]++;
    *(outcome.well ? &shared->well : &shared->bad) += 1;
    if (!options.digests || !outcome.well)
        printf("%s %s%s%s\n", outcome.well ? "ok  " : "FAIL", line, outcome.well ? "" : ": ",
               outcome.why);
    fflush(stdout);
}

/*
 * Judge the races that the mock has found between threads of a kernel. The kernels listed here have
 * harmless ones: a plain access to data that other threads access atomically.
 */
static void judge_races(const char *name)
{
    static const char *const racing[] = {"\"bfs_step\"", "\"union_flatten\""};
    const char *text;

    for (size_t i = 0; mock && (text = cushim_mock_race(mock, i)); i++) {
        bool known = false;

        for (size_t j = 0; j < COUNT(racing); j++)
            known = known || strstr(text, racing[j]);
        shared->races++;
        if (!known) {
            printf("FAIL %s: %s\n", name, text);
            shared->bad++;
        }
    }
}

/* Run the cases that do not fault, or one that does. */
static void run_text(const char *name, const struct kernel_case *fault)
{
    char log[4096] = "";
    CUjit_option keys[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUmodule module;
    CUresult result;

    open_driver();
    result = cu->ModuleLoadDataEx(&module, read_text(name), 2, keys, values);
    if (result != CUDA_SUCCESS) {
        printf("FAIL %s: cuModuleLoadDataEx: %d: %s\n", name, (int)result, log);
        shared->bad++;
        return;
    }
    for (size_t i = 0; i < case_count; i++) {
        if (fault ? cases[i] == fault : cases[i]->faults == CUDA_SUCCESS)
            run_case(i, name, module);
    }
    judge_races(name);
}

static void run_apart(const char *name, const struct kernel_case *fault)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        run_text(name, fault);
        fflush(NULL);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        printf("FAIL %s: the process ended with status 0x%x\n", name, (unsigned)status);
        shared->bad++;
    }
}

/* A kernel without a case is reported as untested. */
static void run_file(const char *name)
{
    const unsigned entries = count_entries(read_text(name));

    shared->entries = 0;
    run_apart(name, NULL);
    for (size_t i = 0; i < case_count; i++) {
        char declared[100];

        snprintf(declared, sizeof declared, ".entry %s(", cases[i]->kernel);
        if (cases[i]->faults && strstr(read_text(name), declared))
            run_apart(name, cases[i]);
    }
    if (shared->entries != entries) {
        printf("FAIL %s: of %u kernels %u are known\n", name, entries, shared->entries);
        shared->bad++;
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_texts(char **names)
{
    DIR *folder = opendir(options.folder);
    const struct dirent *entry;
    size_t count = 0;

    while (folder && (entry = readdir(folder)) && count < MOST_TEXTS) {
        const char *dot = strrchr(entry->d_name, '.');

        if (dot && strcmp(dot, ".ptx") == 0)
            names[count++] = strdup(entry->d_name);
    }
    if (folder)
        closedir(folder);
    qsort(names, count, sizeof *names, compare_names);
    return count;
}

static bool read_options(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        char *const value = strchr(arguments[i], '=');
        const size_t name = value ? (size_t)(value - arguments[i]) : 0;

        if (arguments[i][0] != '-' && !options.folder)
            options.folder = arguments[i];
        else if (name == 8 && strncmp(arguments[i], "--driver", name) == 0)
            options.driver = value + 1;
        else if (name == 6 && strncmp(arguments[i], "--only", name) == 0)
            options.only = value + 1;
        else if (name == 10 && strncmp(arguments[i], "--settings", name) == 0)
            options.settings = value + 1;
        else if (strcmp(arguments[i], "--digests") == 0)
            options.digests = true;
        else
            return false;
    }
    return options.folder != NULL;
}

int main(int count, char **arguments)
{
#define NAME_TABLE(name) name,
    static const struct kernel_case *const tables[] = {CASE_TABLES(NAME_TABLE)};
    char *names[MOST_TEXTS];
    size_t texts, kernels = 0;

    if (count == 2 && strcmp(arguments[1], "--help") == 0)
        return usage(stdout);
    if (!read_options(count, arguments))
        return usage(stderr);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    for (size_t i = 0; i < COUNT(tables); i++) {
        for (const struct kernel_case *row = tables[i]; row->kernel; row++)
            cases[case_count++] = row;
    }
    texts = list_texts(names);
    for (size_t i = 0; i < texts; i++) {
        run_file(names[i]);
        free(names[i]);
    }
    for (size_t i = 0; i < case_count; i++) {
        kernels += shared->launched[i] > 0;
        if (shared->launched[i] == 0 && options.only[0] == '\0') {
            printf("FAIL %s: no text has it\n", cases[i]->kernel);
            shared->bad++;
        }
    }
    if (!options.digests)
        printf("%zu kernels in %zu texts: %u results as on an H200 or in C, %u not, %u races\n",
               kernels, texts, shared->well, shared->bad, shared->races);
    return shared->bad == 0 && kernels > 0 ? 0 : 1;
}
