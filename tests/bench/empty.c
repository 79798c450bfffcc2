/* SPDX-License-Identifier: Apache-2.0 */
/* A program that does nothing: what starting costs. */
int main(void)
{
    return 0;
}
