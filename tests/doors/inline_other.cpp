// SPDX-License-Identifier: Apache-2.0
#include "inline.h"

allocator of_the_other_file()
{
    return ::cuMemAlloc;
}

CUresult destroyed_there(CUevent event)
{
    return closer<cuEventDestroy>()(event);
}
