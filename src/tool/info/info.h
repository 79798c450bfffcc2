/* SPDX-License-Identifier: Apache-2.0 */
/* What `cushim info` has found, for its output and for the report that users pass on to others. */
#ifndef CUSHIM_TOOL_INFO_INFO_H
#define CUSHIM_TOOL_INFO_INFO_H

#include "src/tool/base/arguments.h"
#include "src/tool/base/driver.h"
#include "src/tool/info/diagnostics.h"

/* `cushim info` */
enum status command_info(const struct arguments *arguments);

struct info {
    const struct system_info *system;
    struct driver driver;
    struct failure failure;
    struct diagnoses diagnoses;
    struct device *devices;
    int device_count;
};

/* Print the result, or write its JSON members. */
void info_print(const struct info *info);
void info_json(const struct info *info, struct json *json);

/* info_report.c: write it to a file, as JSON if the path ends in .json. */
void info_write_report(const struct info *info, const char *path, bool has_uuids,
                       struct failure *failure);

#endif
