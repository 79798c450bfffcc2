/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared code of these tests, each of which runs on a mock of its own. They are compiled as C++11
 * with exceptions, and as C++17 without exceptions and RTTI.
 *
 * The clock of the mock stands still unless a test moves it, so queued work is pending until
 * cushim_mock_drain(). At the end of a test, no object of the driver may be left.
 */
#ifndef CUSHIM_TESTS_CPP_FIXTURE_H
#define CUSHIM_TESTS_CPP_FIXTURE_H

#include <cstddef>
#include <utility>

#include <cushim/cushim.hpp>
#include <cushim/testing/mock.h>

#define CHECK(claim) check_claim((claim), #claim, __FILE__, __LINE__)
#define OK(call) check_code(CUDA_SUCCESS, (call), #call, __FILE__, __LINE__)
#define CODE(expected, call) check_code((expected), (call), #call, __FILE__, __LINE__)
#define TAKE(made) take((made), #made, __FILE__, __LINE__)

void check_claim(bool is_true, const char *claim, const char *file, int line);
void check_code(CUresult expected, CUresult code, const char *call, const char *file, int line);

/* The value of a result, which must have one. */
template <class Value>
Value take(cushim::result<Value> made, const char *call, const char *file, int line)
{
    check_code(CUDA_SUCCESS, made.code, call, file, line);
    return std::move(made.value);
}

/* The mock of the test, and the number of objects that its driver has. */
extern cushim_mock *mock;
std::size_t handles();

/* The context that is current on this thread. */
CUcontext current();

struct fixture {
    cushim::context context;
    cushim::stream stream;

    fixture();

    /* Queue work that is pending until the clock moves. */
    void queue() const;
};

struct test_case {
    const char *name;
    void (*run)();
};
#define CASE(name)  \
    {               \
#name, name \
    }

/* Run tests; the result is that of main(). */
int run_cases(const test_case *first, std::size_t count);
template <std::size_t Count> int run(const test_case (&cases)[Count])
{
    return run_cases(cases, Count);
}

#endif
