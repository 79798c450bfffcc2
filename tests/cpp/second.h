/* SPDX-License-Identifier: Apache-2.0 */
/* What the second file of the program does with the same header. */
#ifndef CUSHIM_TESTS_CPP_SECOND_H
#define CUSHIM_TESTS_CPP_SECOND_H

#include <cushim/cushim.hpp>

const std::error_category *second_category();
cushim::event second_owner(cushim::event given);
CUresult second_query(const cushim::event &event);
CUresult second_wait(const cushim::stream &stream, cushim::timeout limit);

#endif
