/* SPDX-License-Identifier: Apache-2.0 */
/* A program that does nothing: what starting costs. It could make the CALL, and ends without. */
#include <cushim/cushim.h>

#ifndef CALL
#define CALL 0
#endif

int bench_empty(void);

int main(int count, char **words)
{
    (void)words;
    return count > 1 ? (int)(CALL) : 0;
}
