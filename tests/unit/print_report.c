/* SPDX-License-Identifier: Apache-2.0 */
/* Load the library at a path and print the report as JSON, for report_json_test.py. */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

int main(int count, char **arguments)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .library = count > 1 ? arguments[1] : NULL,
    };
    static struct cushim_report report = {.size = sizeof report};
    char *json;
    size_t length;

    if (count > 1)
        cushim_load(&options);
    if (cushim_report_get(&report) != CUDA_SUCCESS)
        return 1;
    length = cushim_report_json(&report, NULL, 0);
    json = malloc(length + 1);
    if (!json || cushim_report_json(&report, json, length + 1) != length)
        return 1;
    fwrite(json, 1, length, stdout);
    free(json);
    return 0;
}
