/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detectors of what lies between the linker's search and the driver's library. Each tells whether
 * it sees its trap, and what it saw; the rows in trap.c say what they mean.
 */
#ifndef CUSHIM_TOOL_TRAP_SEARCH_H
#define CUSHIM_TOOL_TRAP_SEARCH_H

#include <stddef.h>

#include "src/tool/trap_scene.h"

/* A stub folder of the toolkit in the search. */
bool trap_sees_stub_folder(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A file in the search that is no usable driver, and a driver elsewhere in it or near it. */
bool trap_sees_shadowed_driver(const struct trap_scene *scene, struct trap_evidence *evidence);

/*
 * The libcuda.so.1 that the dynamic linker's search leads to, as far as files and the environment
 * show. False: none.
 */
bool trap_searched_library(const struct trap_scene *scene, char *path, size_t size);

/* A libcuda.so in the search, and no libcuda.so.1. */
bool trap_sees_link_name_only(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A libcuda.so.1 in the search that is a link to a file that is gone. */
bool trap_sees_dangling_link(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A library in a folder of ld.so.conf, and not in the linker's cache. */
bool trap_sees_stale_cache(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A library in a folder where drivers are put, but which is not searched. */
bool trap_sees_library_outside(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A library for another processor or word size, which the search has met. */
bool trap_sees_architecture(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A NixOS that has no driver where its programs look. */
bool trap_sees_nixos(const struct trap_scene *scene, struct trap_evidence *evidence);

#endif
