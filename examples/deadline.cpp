/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time the work of a GPU, and wait for it with a deadline, in C++11 with exceptions.
 *
 *     c++ -std=c++11 deadline.cpp $(pkg-config --cflags --libs cushim)
 *
 * Exit status 0, or 1 with the reason if a call fails or the work takes longer than ten seconds.
 * Without a driver, the first call fails.
 */
#include <cstdio>

#include <cushim/cushim.hpp>

static cushim::elapsed_time fill(const cushim::stream &stream, size_t bytes)
{
    const CUstream handle = cushim::check(stream.handle());
    CUdeviceptr memory = 0;

    cushim::check(cushim_driver()->MemAllocAsync(&memory, bytes, handle), "memory");
    const cushim::event start = cushim::check(cushim::event::create_recorded(stream));
    cushim::check(cushim_driver()->MemsetD8Async(memory, 0, bytes, handle), "fill");
    const cushim::event end = cushim::check(cushim::event::create_recorded(stream));
    cushim::check(cushim_driver()->MemFreeAsync(memory, handle), "memory");

    cushim::check(end.synchronize(std::chrono::seconds(10)), "fill");
    return cushim::check(cushim::elapsed(start, end), "time");
}

int main()
{
    try {
        cushim::check(cushim_driver_init(nullptr), "driver");
        const cushim::context context = cushim::check(cushim::context::retain_primary(0));
        const cushim::context_scope scope(context);
        cushim::check(scope.code(), "context");
        const cushim::stream stream = cushim::check(cushim::stream::create(context));

        std::printf("16 MiB filled in %.3f ms\n",
                    static_cast<double>(fill(stream, 16 << 20).count()));
        cushim::check(stream.synchronize());
        return 0;
    } catch (const std::system_error &error) {
        const CUresult code = static_cast<CUresult>(error.code().value());

        std::fprintf(stderr, "%s.\n%s\n", error.what(), cushim_error_advice(code));
        return 1;
    }
}
