/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions, called with success if nothing is lacking. */
#ifndef CUSHIM_TESTS_OOM_FUNCTION_H
#define CUSHIM_TESTS_OOM_FUNCTION_H

#include <cushim/cushim.h>

struct function {
    const char *names;      /* of the functions that it calls, with blanks between them */
    CUresult (*call)(void); /* the first code that is not CUDA_SUCCESS; leaves nothing behind */
    CUresult also;          /* what it may answer if memory runs out, besides a code for that */
};

/* The last has no names. */
extern const struct function loader_functions[]; /* each in a process of its own */
extern const struct function mock_functions[];
extern const struct function testkit_functions[];

#endif
