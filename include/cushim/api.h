/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The visibility of cushim's symbols: a library exports these and no others.
 *
 * On Windows, a module definition file names what the DLL exports, so a function needs no attribute
 * here. A variable does: code reaches a variable of a DLL through a pointer that the linker makes.
 * The static library also has that pointer, so programs are compiled in the same way for both, and
 * define no macro.
 */
#ifndef CUSHIM_API_H
#define CUSHIM_API_H

/**
 * Before the declaration of each public function. With CUSHIM_STATIC, the library is part of a
 * program or plugin, and no other code in the process can find it there.
 */
#if defined(_WIN32)
#define CUSHIM_API
#elif defined(CUSHIM_STATIC) && defined(__GNUC__)
#define CUSHIM_API __attribute__((visibility("hidden")))
#elif defined(__GNUC__)
#define CUSHIM_API __attribute__((visibility("default")))
#else
#define CUSHIM_API
#endif

/*
 * Before the declaration of a function whose result it is a mistake to drop. gcc and clang warn if
 * CUSHIM_WARN_UNUSED_RESULT is defined before the first header of cushim.
 */
#if defined(CUSHIM_WARN_UNUSED_RESULT) && defined(__GNUC__)
#define CUSHIM__CHECKED __attribute__((warn_unused_result))
#else
#define CUSHIM__CHECKED
#endif

/**
 * Before the declaration of each public variable. The library's own files, and files that contain
 * the library, do not need the pointer that is described above.
 */
#if defined(_WIN32) && !defined(CUSHIM__LIBRARY) && !defined(CUSHIM_STATIC)
#define CUSHIM_VARIABLE __declspec(dllimport)
#else
#define CUSHIM_VARIABLE CUSHIM_API
#endif

#endif
