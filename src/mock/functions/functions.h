/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's functions. The mock's cuEventQuery is
 *
 *     CUresult cushim__mock_EventQuery(struct mock_event *event)
 *     {
 *         ...
 *     }
 *
 * in one of the files of this folder. A function that serves several symbols has the name of one of
 * them, and a comment before it names the others. Names in lower case, such as
 * cushim__mock_event_done(), are not functions of the driver; they are in the folders beside this
 * one, which call nothing that is defined here.
 *
 * The program's call goes to a generated wrapper (table.c), which checks the arguments, finds the
 * objects of handles and calls the function. src/mock/driver_functions.tsv has a row for each
 * function: the symbols that it serves, its parameters, the checks in their order, and what differs
 * from the driver. From the rows loader/generator/mock.py writes the wrappers, the prototypes
 * (calls.h, included from here, so that the compiler compares rows and definitions), and the page
 * mock-coverage.md. The wrapper of a symbol that no row names refuses the call.
 *
 * A function takes those parameters of its symbol that it uses, in the same order. Types that CUDA
 * 11.2 lacks are spelled as in <cushim/slots.h>.
 *
 * A function runs under the mock's lock, between cushim__mock_call_enter() and
 * cushim__mock_call_leave() of its wrapper (src/mock/mock.h), so it contains nothing that is common
 * to all calls. A call never nests in another on its thread.
 */
#ifndef CUSHIM_MOCK_FUNCTIONS_FUNCTIONS_H
#define CUSHIM_MOCK_FUNCTIONS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/symbols.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/calls.h"

#endif
