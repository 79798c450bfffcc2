/* SPDX-License-Identifier: Apache-2.0 */
/* A program that could call the driver, and ends without. */
#include <cushim/driver.h>

int main(int count, char **words)
{
    (void)words;
    return count > 1 ? (int)cushim_driver()->Init(0) : 0;
}
