/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to sweep: it allocates memory, fills it, and polls an event until the memory is filled.
 */
#ifndef CUSHIM_TESTS_LAYER_SWEEP_BODIES_H
#define CUSHIM_TESTS_LAYER_SWEEP_BODIES_H

/* The bug of the program. */
enum bug {
    NO_BUG,
    LEAKS_THE_EVENT,    /* if the memset fails */
    LEAKS_IF_FAILED,    /* the event, if any call after its creation failed */
    IGNORES_THE_RECORD, /* ignores that the record failed */
    DESTROYS_TWICE,     /* the event, if the record failed */
    FREES_TWICE,        /* the memory, if the memset fails */
    FREES_TWICE_AND_EXPECTS_IT,
    LEAVES_THE_CONTEXT,   /* current, if the allocation fails */
    POLLS_FOR_EVER,       /* treats errors as CUDA_ERROR_NOT_READY */
    POLLS_ON_ERRORS_ONLY, /* until there is an error */
    NEVER_ENDS,           /* once the record has failed, with any result */
    FAILS_BY_ITSELF,
    REPORTS_WHAT_IS_WRONG,  /* if there is no event */
    IGNORES_RELEASES,       /* their results */
    ALWAYS_WRONG_IF_FAILED, /* fails with any result */
};

/* The body of a sweep; the argument is an enum bug *. */
int sweep_body(void *bug);

/* The same on two threads, each with its own event. */
int sweep_two_threads(void *bug);

#endif
