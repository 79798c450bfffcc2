// SPDX-License-Identifier: Apache-2.0
// In C++ a function of the driver is one function in all files of a program: this file is compiled
// twice, and with OTHER it is the other one.
#include <cuda.h>

#include <cstdio>
#include <type_traits>

// As in a header of a project: an inline function, a template and a class that use the driver.
using allocator = CUresult(CUDAAPI *)(CUdeviceptr *, size_t);

inline allocator of_the_header()
{
    return cuMemAlloc;
}

template <CUresult(CUDAAPI *Function)(CUevent)> struct closer {
    CUresult operator()(CUevent event) const { return Function(event); }
};

// The other file's.
allocator of_the_other_file();
CUresult destroyed_there(CUevent event);

#ifdef OTHER
allocator of_the_other_file()
{
    return ::cuMemAlloc;
}

CUresult destroyed_there(CUevent event)
{
    return closer<cuEventDestroy>()(event);
}
#else
static_assert(std::is_same<decltype(&cuMemAlloc), allocator>::value, "the type of <cuda.h>");

namespace mine
{
using ::cuEventQuery;
// An overload of a name of <cuda.h>.
int cuInit(const char *)
{
    return 7;
}
} // namespace mine

int main()
{
    int wrong = 0;

    // CUSHIM_LIBRARY is none here.
    wrong += of_the_header() != of_the_other_file() || of_the_header() != cuMemAlloc;
    wrong += closer<cuEventDestroy>()(nullptr) != CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    wrong += destroyed_there(nullptr) != CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    wrong += mine::cuEventQuery(nullptr) != CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    wrong += mine::cuInit("") != 7;
    std::printf("%d of 5 are wrong\n", wrong);
    return wrong != 0;
}
#endif
