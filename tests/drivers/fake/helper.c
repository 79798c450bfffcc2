/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a fake driver needs and never finds: no file has the name it asks for. */
int fake_driver_helper(void);

int fake_driver_helper(void)
{
    return 0;
}
