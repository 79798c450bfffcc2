/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * All of cushim. The headers of single nouns may be included one by one instead.
 */
#ifndef CUSHIM_CUSHIM_H
#define CUSHIM_CUSHIM_H

#include <cushim/driver.h>
#include <cushim/error.h>
#include <cushim/report.h>
#include <cushim/symbol.h>
#include <cushim/table.h>

#endif
