/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * How cushim's symbols are seen from outside: these and no others.
 */
#ifndef CUSHIM_API_H
#define CUSHIM_API_H

#if defined(__GNUC__)
#define CUSHIM_API __attribute__((visibility("default")))
#else
#define CUSHIM_API
#endif

#endif
