/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that a fake driver needs. No file has the name that the driver looks for, so it is
 * never found.
 */
int fake_driver_helper(void);

int fake_driver_helper(void)
{
    return 0;
}
