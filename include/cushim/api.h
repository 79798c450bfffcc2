/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * How cushim's symbols are seen from outside: these and no others.
 */
#ifndef CUSHIM_API_H
#define CUSHIM_API_H

#if defined(CUSHIM_STATIC) && defined(__GNUC__)
/* The library is part of a program or plugin, and nobody else in the process is to find it there. */
#define CUSHIM_API __attribute__((visibility("hidden")))
#elif defined(__GNUC__)
#define CUSHIM_API __attribute__((visibility("default")))
#else
#define CUSHIM_API
#endif

#endif
