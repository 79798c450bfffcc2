/* SPDX-License-Identifier: Apache-2.0 */
/* The loop in a plugin: host PLUGIN TURNS; prints the CPU time of a turn in ns. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    void *plugin = count == 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    void *address = plugin ? dlsym(plugin, "loop") : NULL;
    int (*run)(unsigned turns, double *ns) = NULL;
    double ns = 0;
    int failed;

    if (!address) {
        fprintf(stderr, "%s\n", count == 3 ? dlerror() : "usage: host PLUGIN TURNS");
        return 2;
    }
    memcpy(&run, &address, sizeof run);
    failed = run((unsigned)strtoul(arguments[2], NULL, 10), &ns);
    printf("%.4f\n", ns);
    return failed != 0;
}
