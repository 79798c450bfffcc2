// SPDX-License-Identifier: Apache-2.0
// A C++ header as a project has it: an inline function, a template and a class that use the driver.
#ifndef CUSHIM_TESTS_DOORS_INLINE_H
#define CUSHIM_TESTS_DOORS_INLINE_H

#include <cuda.h>

using allocator = CUresult(CUDAAPI *)(CUdeviceptr *, size_t);

inline allocator of_the_header()
{
    return cuMemAlloc;
}

template <CUresult(CUDAAPI *Function)(CUevent)> struct closer {
    CUresult operator()(CUevent event) const
    {
        return Function(event);
    }
};

// The other file's.
allocator of_the_other_file();
CUresult destroyed_there(CUevent event);

#endif
