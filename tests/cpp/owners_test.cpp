/* SPDX-License-Identifier: Apache-2.0 */
/* Owners of contexts, streams, events and pools, and the scope of a context. */
#include <type_traits>

#include "fixture.h"
#include "second.h"

template <class Owner> static void type_is_move_only()
{
    static_assert(!std::is_copy_constructible<Owner>::value, "no copy");
    static_assert(!std::is_copy_assignable<Owner>::value, "no copy");
    static_assert(std::is_nothrow_move_constructible<Owner>::value, "move");
    static_assert(std::is_nothrow_move_assignable<Owner>::value, "move");
    static_assert(std::is_nothrow_default_constructible<Owner>::value, "empty");
    static_assert(sizeof(Owner) == sizeof(void *), "one pointer");
    CHECK(!Owner());
    CHECK(!Owner().get());
    OK(Owner().reset());
    CHECK(!Owner().share());
}

static void owners_are_move_only_and_as_large_as_a_pointer()
{
    type_is_move_only<cushim::context>();
    type_is_move_only<cushim::stream>();
    type_is_move_only<cushim::event>();
    type_is_move_only<cushim::event_pool>();
    static_assert(!std::is_convertible<cushim_event *, cushim::event>::value, "explicit");
    static_assert(!std::is_move_constructible<cushim::context_scope>::value, "scopes stay");
    static_assert(noexcept(cushim::event().query()), "C throws nothing");
}

static void destruction_releases_the_object()
{
    const fixture given;
    const size_t before = handles();
    {
        const cushim::event event = TAKE(cushim::event::create(given.context));
        const cushim::stream stream = TAKE(cushim::stream::create(given.context));

        CHECK(event && stream);
        CHECK(handles() == before + 2);
    }
    CHECK(handles() == before);
}

static void move_empties_the_source()
{
    const fixture given;
    const size_t before = handles();
    cushim::event first = TAKE(cushim::event::create(given.context));
    cushim_event *const object = first.get();
    cushim::event second(std::move(first));

    CHECK(!first && second.get() == object);
    first = TAKE(cushim::event::create(given.context));
    CHECK(handles() == before + 2);
    first = std::move(second);
    CHECK(first.get() == object && !second);
    CHECK(handles() == before + 1);

    cushim::event &same = first;
    first = std::move(same);
    CHECK(first.get() == object && handles() == before + 1);
    OK(first.query());

    first = second_owner(std::move(first));
    CHECK(first.get() == object && handles() == before + 1);
    OK(first.reset());
    CHECK(!first && handles() == before);
}

static void share_takes_a_reference()
{
    const fixture given;
    const size_t before = handles();
    cushim::event first = TAKE(cushim::event::create(given.context));
    cushim::event second = first.share();

    CHECK(first.get() == second.get());
    OK(first.reset());
    OK(second.query());
    CHECK(handles() == before + 1);
    OK(second.reset());
    CHECK(handles() == before);
}

static void detach_gives_the_reference_to_the_caller()
{
    const fixture given;
    cushim::event event = TAKE(cushim::event::create(given.context));
    cushim_event *const object = event.detach();

    CHECK(object && !event);
    const cushim::event again(object);

    OK(again.query());
}

static void wrapped_objects_are_not_destroyed()
{
    const fixture given;
    const size_t before = handles();
    const CUstream handle = TAKE(given.stream.handle());
    {
        const cushim::stream wrapped = TAKE(cushim::stream::wrap(handle, given.context));

        CHECK(TAKE(wrapped.handle()) == handle);
        cushim_context *context = nullptr;
        CODE(CUDA_SUCCESS, cushim_stream_get_context(wrapped.get(), &context));
        CHECK(context == given.context.get());
        const cushim::stream unknown = TAKE(cushim::stream::wrap(handle));

        CODE(CUDA_SUCCESS, cushim_stream_get_context(unknown.get(), &context));
        CHECK(!context);
    }
    CHECK(handles() == before);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim::event::wrap(nullptr).code);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim::context::wrap(nullptr).code);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim::context::wrap_current().code);
}

static void empty_owners_are_refused()
{
    const fixture given;
    const cushim::event event;
    const cushim::stream stream;

    CODE(CUDA_ERROR_INVALID_HANDLE, event.query());
    CODE(CUDA_ERROR_INVALID_HANDLE, event.synchronize());
    CODE(CUDA_ERROR_INVALID_HANDLE, event.record(given.stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, stream.synchronize(std::chrono::milliseconds(1)));
    CODE(CUDA_ERROR_INVALID_HANDLE, given.stream.wait_event(event));
    CODE(CUDA_ERROR_INVALID_HANDLE, given.stream.wait_stream(stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, stream.handle().code);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim::context().synchronize());
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim::event_pool().acquire().code);

    const cushim::result<cushim::event> none = cushim::event::create(cushim::context());

    CHECK(!none && !none.value);
    CODE(CUDA_ERROR_INVALID_HANDLE, none.code);
}

static void closed_objects_are_refused()
{
    const fixture given;
    const cushim::event event = TAKE(cushim::event::create(given.context));

    OK(event.close());
    CODE(CUDA_ERROR_INVALID_HANDLE, event.query());
    OK(given.stream.close());
    CODE(CUDA_ERROR_INVALID_HANDLE, given.stream.query());
}

static void options_are_those_of_c()
{
    const fixture given;
    cushim_event_options options = CUSHIM_EVENT_OPTIONS_INIT;
    cushim_event_info info = CUSHIM_EVENT_INFO_INIT;

    options.disable_timing = true;
    const cushim::event event = TAKE(cushim::event::create(given.context, &options));

    OK(cushim_event_get_info(event.get(), &info));
    CHECK(info.flags == CU_EVENT_DISABLE_TIMING);
}

static void events_return_to_their_pool()
{
    const fixture given;
    const cushim::event_pool pool = TAKE(cushim::event_pool::create(given.context));
    cushim::event event = TAKE(pool.acquire());
    const CUevent handle = TAKE(event.handle());
    const size_t before = handles();

    OK(event.record(given.stream));
    OK(event.reset());
    CHECK(handles() == before);
    event = TAKE(pool.acquire());
    CHECK(TAKE(event.handle()) == handle);
}

/* --- the current context --- */

static void scope_restores_the_former_context()
{
    const fixture given;
    const cushim::context other = TAKE(cushim::context::create(0));

    CHECK(!current());
    {
        const cushim::context_scope outer(given.context);

        OK(outer.code());
        CHECK(current() == TAKE(given.context.handle()));
        {
            const cushim::context_scope inner(other);

            OK(inner.code());
            CHECK(current() == TAKE(other.handle()));
        }
        CHECK(current() == TAKE(given.context.handle()));
    }
    CHECK(!current());
}

static void scope_can_end_early_and_fail()
{
    const fixture given;
    const cushim::context other = TAKE(cushim::context::create(0));

    cushim::context_scope outer(given.context);
    cushim::context_scope inner(other);

    CODE(CUDA_ERROR_INVALID_CONTEXT, outer.pop());
    OK(inner.pop());
    OK(outer.pop());
    OK(outer.pop());
    CHECK(!current());

    const cushim::context_scope none{cushim::context()};

    CODE(CUDA_ERROR_INVALID_HANDLE, none.code());
}

static void make_current_of_an_empty_owner_leaves_no_context()
{
    const fixture given;

    OK(given.context.make_current());
    CHECK(TAKE(TAKE(cushim::context::wrap_current()).handle()) == TAKE(given.context.handle()));
    CHECK(TAKE(given.context.device()) == 0);
    OK(given.context.synchronize());
    OK(cushim::context().make_current());
    CHECK(!current());
}

int main()
{
    static const test_case cases[] = {
        CASE(owners_are_move_only_and_as_large_as_a_pointer),
        CASE(destruction_releases_the_object),
        CASE(move_empties_the_source),
        CASE(share_takes_a_reference),
        CASE(detach_gives_the_reference_to_the_caller),
        CASE(wrapped_objects_are_not_destroyed),
        CASE(empty_owners_are_refused),
        CASE(closed_objects_are_refused),
        CASE(options_are_those_of_c),
        CASE(events_return_to_their_pool),
        CASE(scope_restores_the_former_context),
        CASE(scope_can_end_early_and_fail),
        CASE(make_current_of_an_empty_owner_leaves_no_context),
    };

    return run(cases);
}
