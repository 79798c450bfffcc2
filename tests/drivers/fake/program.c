/* SPDX-License-Identifier: Apache-2.0 */
/* A program that a user might name as the driver by mistake. */
int main(void)
{
    return 0;
}
