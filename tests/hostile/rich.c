/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver of the zoo has not: variables of threads, data with addresses in it, a weak name.
 */
extern __thread int hostile_counter;
__thread int hostile_counter = 7;

int hostile_count(void);
int hostile_count(void)
{
    return ++hostile_counter;
}

extern int hostile_nobody_has_this(void) __attribute__((weak));

typedef int (*function)(void);
extern const function hostile_functions[];
const function hostile_functions[] = {hostile_count, hostile_nobody_has_this, hostile_count};

__attribute__((constructor)) static void begin(void)
{
    hostile_counter++;
}
