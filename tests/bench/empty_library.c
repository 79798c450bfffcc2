/* SPDX-License-Identifier: Apache-2.0 */
/* A library with nothing in it: what any library costs a program that starts. */
int bench_empty(void);

int bench_empty(void)
{
    return 0;
}
