/* SPDX-License-Identifier: Apache-2.0 */
/* Windows has one detector of its own. The functions that read files of Linux find nothing here. */
#include <stdio.h>
#include <windows.h>

#include "src/base/system.h"
#include "src/base/wide_windows.h"
#include "src/tool/info/diagnostics.h"

bool detect_searched_library(const struct system_info *info, char *path, size_t size)
{
    (void)info, (void)path, (void)size;
    return false;
}

bool search_meets_empty(const struct system_info *info, char path[FILE_PATH_BYTES])
{
    (void)info, (void)path;
    return false;
}

bool search_meets_architecture(const struct system_info *info, struct evidence *evidence)
{
    (void)info, (void)evidence;
    return false;
}

bool diagnostics_names_no_gpu(const struct system_info *info, const char *value, const char *first,
                              struct evidence *evidence)
{
    (void)info, (void)value, (void)first, (void)evidence;
    return false;
}

bool diagnostics_machine(const struct system_info *info, char *text, size_t size)
{
    (void)info, (void)size;
    text[0] = '\0';
    return false;
}

/* Windows puts the drivers of the machine into this folder of a container. */
bool detect_host_driver(const struct system_info *info, struct evidence *evidence)
{
    static const wchar_t store[] = L"\\HostDriverStore\\FileRepository\\";
    wchar_t path[MAX_PATH * 3], system[MAX_PATH];
    char text[FILE_PATH_BYTES];
    WIN32_FIND_DATAW found;
    bool is_there = false;
    HANDLE search;

    (void)info;
    if (GetSystemDirectoryW(system, MAX_PATH) == 0)
        return false;
    swprintf(path, sizeof path / sizeof *path, L"%ls%lsnv*", system, store);
    search = FindFirstFileW(path, &found);
    if (search == INVALID_HANDLE_VALUE)
        return false;
    do {
        swprintf(path, sizeof path / sizeof *path, L"%ls%ls%ls\\nvcuda64.dll", system, store,
                 found.cFileName);
        is_there = GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
    } while (!is_there && FindNextFileW(search, &found));
    FindClose(search);
    if (!is_there)
        return false;
    cushim__wide_to(path, text, sizeof text);
    evidence_advise(
        evidence,
        "When the container is made, copy %s to the system folder as nvcuda.dll, and "
        "start it with its GPU (docker run --isolation process --device "
        "class/5B45201D-F2F2-4F3B-85BB-30FF1F953599)%s.",
        text,
        cushim__system_ignores_environment(NULL) ? "" : "; or set CUSHIM_LIBRARY to the file");
    return evidence_set(evidence, "%s", text);
}
