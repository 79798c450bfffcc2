/* SPDX-License-Identifier: Apache-2.0 */
/* A program that somebody takes for a driver. */
int main(void)
{
    return 0;
}
