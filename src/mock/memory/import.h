/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory of another process, mapped into this one at addresses that the host cannot read. */
#ifndef CUSHIM_MOCK_IMPORT_H
#define CUSHIM_MOCK_IMPORT_H

#include "src/mock/memory/allocation.h"
#include "src/mock/memory/shared_pages.h"

/*
 * Map so many bytes at an offset of what another process shares, or count one more use of what is
 * mapped. INVALID_VALUE: it is not there; OUT_OF_MEMORY.
 */
CUresult cushim__mock_import_open(struct mock_context *context,
                                  const struct mock_shared_pages *shared, size_t offset,
                                  size_t bytes, struct mock_allocation **allocation);

/* One use less. Returns whether it was the last. */
bool cushim__mock_import_close(struct mock_allocation *allocation);

/* Free what cushim__mock_import_open() made, whatever its uses: for cushim__mock_allocation_drop(). */
void cushim__mock_import_free(struct mock_allocation *allocation);

#endif
