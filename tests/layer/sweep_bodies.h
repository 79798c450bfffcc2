/* SPDX-License-Identifier: Apache-2.0 */
/* A program to sweep: it allocates memory, fills it, and polls an event for the end of that. */
#ifndef CUSHIM_TESTS_LAYER_SWEEP_BODIES_H
#define CUSHIM_TESTS_LAYER_SWEEP_BODIES_H

/* What is wrong with it. */
enum bug {
    NO_BUG,
    LEAKS_THE_EVENT,    /* if the memory cannot be filled */
    LEAKS_IF_FAILED,    /* the event, whatever has failed after it was made */
    IGNORES_THE_RECORD, /* that it failed */
    DESTROYS_TWICE,     /* the event, if it was not recorded */
    FREES_TWICE,        /* the memory, if it cannot be filled */
    FREES_TWICE_AND_EXPECTS_IT,
    LEAVES_THE_CONTEXT,   /* on the stack, if there is no memory */
    POLLS_FOR_EVER,       /* as if an error were CUDA_ERROR_NOT_READY */
    POLLS_ON_ERRORS_ONLY, /* until there is one */
    NEVER_ENDS,           /* whatever it is answered, once the record has failed */
    FAILS_BY_ITSELF,
    REPORTS_WHAT_IS_WRONG,  /* if there is no event */
    IGNORES_RELEASES,       /* what they answer */
    ALWAYS_WRONG_IF_FAILED, /* it does not like any answer */
};

/* A body, with an enum bug * for data. */
int sweep_body(void *bug);

/* The same with two threads that each have an event. */
int sweep_two_threads(void *bug);

#endif
