// SPDX-License-Identifier: Apache-2.0
// In C++ a function of the driver is one function in all files of a program.
#include "inline.h"

#include <cstdio>
#include <type_traits>

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
