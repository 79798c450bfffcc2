/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/stat.h>

#include "tests/probe/probing.h"
#include "tests/support/folder.h"

const char *probing_script(const char *body)
{
    char text[512];
    const int length = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    const char *path = folder_write("script", text, (size_t)length);

    return length < (int)sizeof text && chmod(path, 0700) == 0 ? path : NULL;
}
