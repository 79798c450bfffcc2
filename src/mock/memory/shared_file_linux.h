/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory that processes of one user share: without a name, found through /proc.
 *
 * Which file that is another process says, and may say anything. So one is taken only if it is a
 * file in memory of this user that nobody can make shorter: to read past the end of a file that
 * is mapped ends a process.
 */
#ifndef CUSHIM_MOCK_MEMORY_SHARED_FILE_LINUX_H
#define CUSHIM_MOCK_MEMORY_SHARED_FILE_LINUX_H

#include <stdbool.h>
#include <stdint.h>

/* Make one that its user alone may open, empty. Negative: the system refuses. */
int cushim__mock_shared_file_create(const char *name);

/*
 * Its size does not change from now on. Before, nobody takes it: so false, the system refuses, which
 * the log says, means that it is not to be shared.
 */
bool cushim__mock_shared_file_seal(int file);

/* Open one by the number that it has in a process. Negative: there is none that may be taken. */
int cushim__mock_shared_file_open(int32_t process, int32_t file);

#endif
