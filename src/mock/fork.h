/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the mock in the child of a fork: statement 9. */
#ifndef CUSHIM_MOCK_FORK_H
#define CUSHIM_MOCK_FORK_H

/* From now on forks are noticed. Repeats change nothing. */
void cushim__mock_register_atfork(void);

/* mock.c: who created or destroyed a mock in the parent does not do so in the child. */
void cushim__mock_create_in_child(void);

#endif
