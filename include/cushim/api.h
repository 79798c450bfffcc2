/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * How cushim's symbols are seen from outside: exported from the shared library, plain otherwise.
 *
 * Only a program that links cushim as a DLL needs to do anything: define `CUSHIM_DLL` (the
 * installed pkg-config file does it).
 */
#ifndef CUSHIM_API_H
#define CUSHIM_API_H

#if defined(CUSHIM_DLL_EXPORT)
#define CUSHIM_API __declspec(dllexport)
#elif defined(CUSHIM_DLL)
#define CUSHIM_API __declspec(dllimport)
#elif defined(__GNUC__)
#define CUSHIM_API __attribute__((visibility("default")))
#else
#define CUSHIM_API
#endif

#endif
