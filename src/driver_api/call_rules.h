/* SPDX-License-Identifier: Apache-2.0 */
/* When which function of the driver may be called: flags for each slot. */
#ifndef CUSHIM_DRIVER_API_CALL_RULES_H
#define CUSHIM_DRIVER_API_CALL_RULES_H

#include <stdint.h>

enum {
    CUSHIM__BEFORE_INIT = 1,        /* works before cuInit */
    CUSHIM__IN_HOST_FUNCTION = 2,   /* may be called by a host function; others return 800 there */
    CUSHIM__AFTER_STICKY_ERROR = 4, /* works after a sticky error */
    CUSHIM__AFTER_FORK = 8,         /* works in the child of a process that had called cuInit */
    /*
     * Before cuInit the function looks at its arguments first, and what it returns for them
     * counts.
     */
    CUSHIM__ARGUMENTS_FIRST = 16,
};

uint8_t cushim__call_rules(unsigned slot);

#endif
