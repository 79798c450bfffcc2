/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detectors of what lies between the linker's search and the driver's library. Each tells whether
 * it finds its cause, and the evidence; the rows in diagnostics.c say what they mean.
 */
#ifndef CUSHIM_TOOL_DETECT_SEARCH_H
#define CUSHIM_TOOL_DETECT_SEARCH_H

#include <stddef.h>

#include "src/tool/system_info.h"

/* A stub folder of the toolkit in the search. */
bool detect_stub_folder(const struct system_info *info, struct evidence *evidence);

/* A file in the search that is no usable driver, and a driver elsewhere in it or near it. */
bool detect_shadowed_driver(const struct system_info *info, struct evidence *evidence);

/*
 * The libcuda.so.1 that the dynamic linker's search leads to, as far as files and the environment
 * show. False: none.
 */
bool searched_library(const struct system_info *info, char *path, size_t size);

/* A libcuda.so in the search, and no libcuda.so.1. */
bool detect_link_name_only(const struct system_info *info, struct evidence *evidence);

/* A libcuda.so.1 in the search that is a link to a file that is gone. */
bool detect_dangling_link(const struct system_info *info, struct evidence *evidence);

/* A library in a folder of ld.so.conf, and not in the linker's cache. */
bool detect_stale_cache(const struct system_info *info, struct evidence *evidence);

/* A library in a folder where drivers are put, but which is not searched. */
bool detect_library_outside(const struct system_info *info, struct evidence *evidence);

/* A library for another processor or word size, which the search has met. */
bool detect_architecture(const struct system_info *info, struct evidence *evidence);

/* A NixOS that has no driver where its programs look. */
bool detect_nixos(const struct system_info *info, struct evidence *evidence);

#endif
