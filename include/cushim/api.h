/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * How cushim's symbols are seen from outside: these and no others.
 *
 * On Windows a module definition names what the DLL exports, so that a function needs no word here.
 * A variable does: code reaches one of a DLL through a pointer that the linker makes. The static
 * library brings that pointer along, so programs are compiled alike for both and define no macro.
 */
#ifndef CUSHIM_API_H
#define CUSHIM_API_H

/**
 * Before the declaration of each public function. With CUSHIM_STATIC the library is part of a
 * program or plugin, and nobody else in the process is to find it there.
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

/**
 * Before the declaration of each public variable. The library's own files, and files with the
 * library in them, need no pointer as described above.
 */
#if defined(_WIN32) && !defined(CUSHIM__LIBRARY) && !defined(CUSHIM_STATIC)
#define CUSHIM_VARIABLE __declspec(dllimport)
#else
#define CUSHIM_VARIABLE CUSHIM_API
#endif

#endif
