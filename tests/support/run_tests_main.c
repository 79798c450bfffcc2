/* SPDX-License-Identifier: Apache-2.0 */
/* The main() of programs that have none: in a file of its own, so that others do not get it. */
#include "cmocka.h"

int main(void)
{
    return run_all_tests(NULL, NULL);
}
