/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_MOCK_CLIENT_CHILD_H
#define CUSHIM_TESTS_MOCK_CLIENT_CHILD_H

/* Returns in a forked child alone, whose parent ends with it. Windows: ends in failure. */
void client_go_on_in_child(void);

#endif
