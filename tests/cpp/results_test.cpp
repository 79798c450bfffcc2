/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes, waits with a deadline, times, and the functions that throw. */
#include <cstring>
#include <limits>
#include <string>

#include "fixture.h"
#include "second.h"

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/* --- error codes --- */

static void error_codes_have_names_and_messages_of_cushim()
{
    const std::error_code code = cushim::make_error_code(CUDA_ERROR_NOT_READY);

    CHECK(code.value() == 600);
    CHECK(code.message() == cushim_error_string(CUDA_ERROR_NOT_READY));
    CHECK(std::strcmp(code.category().name(), "cushim") == 0);
    CHECK(code.category() == cushim::error_category());
    CHECK(&cushim::error_category() == second_category());
    CHECK(code == cushim::make_error_code(CUDA_ERROR_NOT_READY));
    CHECK(code != cushim::make_error_code(CUDA_ERROR_TIMEOUT));
    CHECK(code != std::error_code(600, std::generic_category()));
    CHECK(!cushim::make_error_code(CUDA_SUCCESS));
    CHECK(!cushim::make_error_code(static_cast<CUresult>(998)).message().empty());
}

static void error_codes_compare_to_those_of_posix()
{
    CHECK(cushim::make_error_code(CUDA_ERROR_TIMEOUT) == std::errc::timed_out);
    CHECK(cushim::make_error_code(CUDA_ERROR_OUT_OF_MEMORY) == std::errc::not_enough_memory);
    CHECK(cushim::make_error_code(CUDA_ERROR_INVALID_VALUE) == std::errc::invalid_argument);
    CHECK(cushim::make_error_code(CUDA_ERROR_NOT_SUPPORTED) == std::errc::not_supported);
    CHECK(cushim::make_error_code(CUDA_ERROR_UNKNOWN) != std::errc::timed_out);
    CHECK(cushim::make_error_code(CUDA_ERROR_INVALID_VALUE) != std::errc::operation_not_permitted);
}

/* --- waits and times --- */

static void timeouts_are_rounded_up_and_limited()
{
    using picoseconds = std::chrono::duration<long long, std::pico>;
    using seconds = std::chrono::duration<double>;
    using clock = std::chrono::steady_clock;

    CHECK(cushim::timeout(milliseconds(5)).ns() == 5000000);
    CHECK(cushim::timeout(nanoseconds(1)).ns() == 1);
    CHECK(cushim::timeout(milliseconds(0)).ns() == 0);
    CHECK(cushim::timeout(milliseconds(-1)).ns() == 0);
    CHECK(cushim::timeout(hours::min()).ns() == 0);
    CHECK(cushim::timeout(hours::max()).ns() == UINT64_MAX);
    CHECK(cushim::timeout(nanoseconds::max()).ns() == UINT64_MAX);
    CHECK(cushim::timeout(picoseconds(1)).ns() == 1);
    CHECK(cushim::timeout(picoseconds(2001)).ns() == 3);
    CHECK(cushim::timeout(seconds(0.25)).ns() == 250000000);
    CHECK(cushim::timeout(seconds(1e-12)).ns() == 1);
    CHECK(cushim::timeout(seconds(std::numeric_limits<double>::infinity())).ns() == UINT64_MAX);
    CHECK(cushim::timeout(seconds(std::numeric_limits<double>::quiet_NaN())).ns() == 0);
    CHECK(cushim::timeout(clock::now()).ns() == 0);
    CHECK(cushim::timeout(clock::time_point::min()).ns() == 0);
    CHECK(cushim::timeout(clock::time_point::max()).ns() == UINT64_MAX);
    /* Units in which the present cannot be subtracted without an overflow. */
    using coarse = std::chrono::time_point<clock, std::chrono::hours>;
    CHECK(cushim::timeout(coarse::min()).ns() == 0);
    CHECK(cushim::timeout(coarse::max()).ns() == UINT64_MAX);
    const std::uint64_t hour = cushim::timeout(clock::now() + hours(1)).ns();

    CHECK(hour > 0 && hour <= 3600000000000);
}

static void waits_end_at_their_deadline()
{
    const fixture given;
    const cushim::event event = TAKE(cushim::event::create(given.context));

    OK(event.query());
    given.queue();
    OK(event.record(given.stream));
    CODE(CUDA_ERROR_NOT_READY, event.query());
    CODE(CUDA_ERROR_NOT_READY, second_query(event));
    CODE(CUDA_ERROR_TIMEOUT, event.synchronize(nanoseconds(0)));
    CODE(CUDA_ERROR_TIMEOUT, event.synchronize(microseconds(50)));
    CODE(CUDA_ERROR_TIMEOUT, event.synchronize(std::chrono::steady_clock::now()));
    CODE(CUDA_ERROR_TIMEOUT, event.synchronize(std::chrono::system_clock::now()));
    CODE(CUDA_ERROR_TIMEOUT, second_wait(given.stream, microseconds(50)));
    OK(cushim_mock_drain(mock));
    OK(event.synchronize(std::chrono::steady_clock::now()));
    OK(event.synchronize(hours::max()));
    OK(event.synchronize());
    OK(given.stream.synchronize(milliseconds(0)));
    OK(given.stream.synchronize());
}

static void streams_wait_for_events_and_streams()
{
    const fixture given;

    CHECK(cushim_driver_has("cuStreamWaitEvent", 11020));
    CHECK(!cushim_driver_has("cuStreamWaitEvent", 99000));
    const cushim::stream later = TAKE(cushim::stream::create(given.context));

    given.queue();
    const cushim::event event = TAKE(cushim::event::create_recorded(given.stream));

    OK(later.wait_event(event));
    CODE(CUDA_ERROR_NOT_READY, later.query());
    OK(cushim_mock_drain(mock));
    OK(later.query());
    given.queue();
    OK(later.wait_stream(given.stream));
    CODE(CUDA_ERROR_NOT_READY, later.query());
    OK(cushim_mock_drain(mock));
    OK(later.query());

    const cushim::context_scope scope(given.context);

    OK(cushim::stream::legacy().query());
    OK(cushim::stream::per_thread().query());
}

static void elapsed_time_is_a_duration()
{
    const fixture given;
    const cushim::event start = TAKE(cushim::event::create_recorded(given.stream));

    OK(cushim_mock_advance(mock, 3000000));
    const cushim::event end = TAKE(cushim::event::create_recorded(given.stream));

    CODE(CUDA_ERROR_NOT_READY, cushim::elapsed(start, end).code);
    OK(cushim_mock_drain(mock));
    const cushim::elapsed_time time = TAKE(cushim::elapsed(start, end));

    CHECK(time > milliseconds(2) && time < milliseconds(4));
    CHECK(TAKE(cushim::elapsed(end, start)) == -time);
    CHECK(std::chrono::duration_cast<microseconds>(time) >= microseconds(2000));
    const cushim::result<cushim::elapsed_time> none = cushim::elapsed(start, cushim::event());

    CODE(CUDA_ERROR_INVALID_HANDLE, none.code);
    CHECK(none.value == cushim::elapsed_time::zero());
}

/* --- exceptions --- */

#ifdef __cpp_exceptions
static std::error_code thrown(CUresult code, const char *what, const std::string &start)
{
    try {
        cushim::check(code, what);
    } catch (const std::system_error &error) {
        CHECK(std::string(error.what()).compare(0, start.size(), start) == 0);
        return error.code();
    }
    return std::error_code();
}

static void check_throws_for_failures_alone()
{
    const fixture given;
    const size_t before = handles();

    CHECK(!thrown(CUDA_SUCCESS, nullptr, ""));
    CHECK(thrown(CUDA_ERROR_TIMEOUT, nullptr, "CUDA_ERROR_TIMEOUT: ") == std::errc::timed_out);
    CHECK(thrown(CUDA_ERROR_NOT_READY, "frame", "frame: ") ==
          cushim::make_error_code(CUDA_ERROR_NOT_READY));
    try {
        const cushim::event event = cushim::check(cushim::event::create(given.context));

        OK(event.query());
        CHECK(handles() == before + 1);
        const cushim::event none = cushim::check(cushim::event::create(cushim::context()), "none");

        CHECK(none && false);
    } catch (const std::system_error &error) {
        CHECK(error.code() == cushim::make_error_code(CUDA_ERROR_INVALID_HANDLE));
    }
    CHECK(handles() == before);
}
#endif

int main()
{
    static const test_case cases[] = {
        CASE(error_codes_have_names_and_messages_of_cushim),
        CASE(error_codes_compare_to_those_of_posix),
        CASE(timeouts_are_rounded_up_and_limited),
        CASE(waits_end_at_their_deadline),
        CASE(streams_wait_for_events_and_streams),
        CASE(elapsed_time_is_a_duration),
#ifdef __cpp_exceptions
        CASE(check_throws_for_failures_alone),
#endif
    };

    return run(cases);
}
