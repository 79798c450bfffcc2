/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The objects of cushim in C++11 or newer: owners, scopes, error codes and durations, with or
 * without exceptions and RTTI. Header only; a call compiles to the call of the C function.
 *
 *     cushim::result<cushim::context> context = cushim::context::retain_primary(0);
 *     if (!context)
 *         return context.code;
 *
 *     auto stream = cushim::check(cushim::stream::create(context.value)); // may throw
 *     auto event = cushim::check(cushim::event::create_recorded(stream));
 *     cushim::check(event.synchronize(std::chrono::seconds(5)), "frame");
 *
 * Each member function calls the C function of the same name, whose comment has the details:
 * `event::query()` is cushim_event_query(), `event::handle()` is cushim_event_get_handle(). Use the
 * other functions of cushim as they are, with get(), and cushim_driver() to call the driver.
 *
 * Errors: a function that can fail returns a CUresult, or a `result`, which is a CUresult and what
 * the function has made. Only check() throws: it turns either into a std::system_error. Without
 * exceptions there is no check().
 *
 * Ownership: `context`, `stream`, `event` and `event_pool` each hold one reference to a counted
 * object of C, or are empty. They can be moved but not copied; share() takes one more reference.
 * Destroying or overwriting an owner releases its reference; a failure of that goes to the log
 * (log.h), and reset() returns it. A moved-from owner is empty. The functions of an empty owner
 * return CUDA_ERROR_INVALID_HANDLE, or do what C does with NULL. Like a smart pointer, a constant
 * owner does not make its object constant.
 *
 * Thread safety: as in C, any thread may use the objects, also concurrently. An owner itself is
 * like any variable: one thread must not change it while another thread uses it.
 *
 * Since: 0.1.
 */
#ifndef CUSHIM_CUSHIM_HPP
#define CUSHIM_CUSHIM_HPP

#include <chrono>
#include <cstdint>
#include <new>
#include <string>
#include <system_error>
#include <utility>

// With quotes: this file lies beside cushim.h, in an installation and among copied files.
#include "cushim.h"

// Whether unused results cause warnings: from C++17 on.
#if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#define CUSHIM__NODISCARD [[nodiscard]]
#else
#define CUSHIM__NODISCARD
#endif

// Hidden, so that two plugins with a cushim of their own do not use each other's functions.
#if defined(__GNUC__) && defined(__ELF__)
#define CUSHIM__INLINE __attribute__((visibility("hidden"))) inline
#else
#define CUSHIM__INLINE inline
#endif
#define CUSHIM__CALL CUSHIM__NODISCARD CUSHIM__INLINE
// For constructors. g++ warns of this attribute before version 10, and of unused objects from then.
#if defined(__GNUC__) && __GNUC__ < 10 && !defined(__clang__)
#define CUSHIM__CONSTRUCTOR CUSHIM__INLINE
#else
#define CUSHIM__CONSTRUCTOR CUSHIM__CALL
#endif

namespace cushim
{

/** A code, and what a function has made or read. */
template <class Value> struct CUSHIM__NODISCARD result {
    CUresult code; /**< CUDA_SUCCESS, or why there is no value. */
    Value value;   /**< Empty or zero unless `code` is CUDA_SUCCESS. */

    /** Whether there is a value. */
    CUSHIM__CALL explicit operator bool() const noexcept { return code == CUDA_SUCCESS; }
};

// --- error codes ---

/**
 * Get the category of CUresult in std::error_code. Its name is "cushim", and its messages are those
 * of cushim_error_string(). Codes that have an equivalent in POSIX compare equal to it, such as
 * CUDA_ERROR_TIMEOUT to std::errc::timed_out. A plugin that contains cushim has its own category.
 */
CUSHIM_API inline const std::error_category &error_category() noexcept
{
    class category final : public std::error_category
    {
      public:
        const char *name() const noexcept override { return "cushim"; }

        std::string message(int value) const override
        {
            return cushim_error_string(static_cast<CUresult>(value));
        }

        std::error_condition default_error_condition(int value) const noexcept override
        {
            switch (value) {
            case CUDA_ERROR_INVALID_VALUE:
                return std::make_error_condition(std::errc::invalid_argument);
            case CUDA_ERROR_OUT_OF_MEMORY:
                return std::make_error_condition(std::errc::not_enough_memory);
            case CUDA_ERROR_NOT_SUPPORTED:
                return std::make_error_condition(std::errc::not_supported);
            case CUDA_ERROR_TIMEOUT:
                return std::make_error_condition(std::errc::timed_out);
            default:
                return std::error_condition(value, *this);
            }
        }
    };
    // Never destroyed, so that there is no exit handler and destructors of globals may use it.
    alignas(category) static unsigned char memory[sizeof(category)];
    static const std::error_category *const made = new (memory) category;

    return *made;
}

/** Make a std::error_code: CUresult, which is not of cushim, does not convert to one by itself. */
CUSHIM__CALL std::error_code make_error_code(CUresult code) noexcept
{
    return std::error_code(static_cast<int>(code), error_category());
}

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
/**
 * Throw if a call has failed: `cushim::check(cushim_driver_init(nullptr), "driver")`. It takes the
 * codes of cushim and of the driver. CUDA_ERROR_NOT_READY counts as a failure.
 *
 * @param what  What failed, at the start of the message. NULL: the name of the code.
 *
 * @throw std::system_error  Unless `code` is CUDA_SUCCESS; its code() is make_error_code(code).
 */
CUSHIM__INLINE void check(CUresult code, const char *what = nullptr)
{
    if (code != CUDA_SUCCESS)
        throw std::system_error(make_error_code(code), what ? what : cushim_error_name(code));
}

/** Take the value out of a result (check(result.code) if it is not needed), or throw likewise. */
template <class Value> CUSHIM__CALL Value check(result<Value> made, const char *what = nullptr)
{
    check(made.code, what);
    return std::move(made.value);
}
#endif

// --- durations ---

/** The time between two events: milliseconds, with a fraction. */
using elapsed_time = std::chrono::duration<float, std::milli>;

/** How long a function waits: a std::chrono::duration, or until a std::chrono::time_point. */
class timeout
{
  public:
    /**
     * The duration in nanoseconds, rounded up: 0 for a negative one, UINT64_MAX (no limit) for one
     * of 1e9 seconds or more.
     */
    template <class Rep, class Period>
    CUSHIM__INLINE timeout(const std::chrono::duration<Rep, Period> &duration) noexcept : ns_(0)
    {
        const double seconds = std::chrono::duration<double>(duration).count();

        if (seconds >= 1e9) {
            ns_ = UINT64_MAX;
        } else if (seconds > 0) { // false if it is not a number
            const auto whole = std::chrono::duration_cast<std::chrono::nanoseconds>(duration);

            ns_ = static_cast<std::uint64_t>(whole.count()) + (whole < duration ? 1 : 0);
        }
    }

    /** The time from now on; 0 for a point in the past, UINT64_MAX for one after 1e9 seconds. */
    template <class Clock, class Duration>
    CUSHIM__INLINE timeout(const std::chrono::time_point<Clock, Duration> &deadline) : ns_(0)
    {
        const typename Clock::time_point now = Clock::now();
        const std::chrono::duration<double> end = deadline.time_since_epoch();
        const std::chrono::duration<double> left = end - now.time_since_epoch();

        if (left.count() >= 1e9)
            ns_ = UINT64_MAX;
        else if (left.count() > -1 && deadline > now)
            *this = timeout(deadline - now);
    }

    CUSHIM__CALL std::uint64_t ns() const noexcept { return ns_; }

  private:
    std::uint64_t ns_;
};

// --- owners ---

/** How each kind of counted object is retained and released. */
namespace counted
{
#define CUSHIM__COUNTED(object)                                 \
    CUSHIM__INLINE object *retain(object *reference) noexcept   \
    {                                                           \
        return object##_retain(reference);                      \
    }                                                           \
    CUSHIM__INLINE CUresult release(object *reference) noexcept \
    {                                                           \
        return object##_release(reference);                     \
    }
CUSHIM__COUNTED(cushim_context)
CUSHIM__COUNTED(cushim_stream)
CUSHIM__COUNTED(cushim_event)
CUSHIM__COUNTED(cushim_event_pool)
#undef CUSHIM__COUNTED
} // namespace counted

/** What the owners have in common. Owner is the derived class, Object the struct of C. */
template <class Owner, class Object> class owner
{
  public:
    /** Own a reference that the caller has; NULL: nothing. */
    CUSHIM__INLINE explicit owner(Object *reference = nullptr) noexcept : object_(reference) {}

    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;

    /** Get the object of C, borrowed from the owner; NULL if that is empty. */
    CUSHIM__CALL Object *get() const noexcept { return object_; }

    /** Whether there is an object. */
    CUSHIM__CALL explicit operator bool() const noexcept { return object_ != nullptr; }

    /** Take one more reference to the object, for another owner. */
    CUSHIM__CALL Owner share() const noexcept { return Owner(counted::retain(object_)); }

    /** Give the reference to the caller, who releases it in C. The owner is then empty. */
    CUSHIM__CALL Object *detach() noexcept
    {
        Object *const object = object_;

        object_ = nullptr;
        return object;
    }

    /** Release the reference, and return the code of that. The owner is then empty. */
    CUSHIM__INLINE CUresult reset() noexcept { return counted::release(detach()); }

  protected:
    CUSHIM__INLINE owner(owner &&other) noexcept : object_(other.detach()) {}
    CUSHIM__INLINE owner &operator=(owner &&other) noexcept
    {
        Object *const moved = other.detach(); // first: `other` may be this owner

        reset();
        object_ = moved;
        return *this;
    }
    CUSHIM__INLINE ~owner()
    {
        if (object_)
            counted::release(object_);
    }

    /** The result of a function of C that makes an object. */
    template <class Function, class... Arguments>
    CUSHIM__CALL static result<Owner> make(Function function, Arguments... arguments) noexcept
    {
        Object *reference = nullptr;
        const CUresult code = function(arguments..., &reference);

        return result<Owner>{code, Owner(reference)};
    }

    /** The result of a function of C that reads a value of the object. */
    template <class Value>
    CUSHIM__CALL result<Value> of(CUresult (*function)(const Object *, Value *)) const noexcept
    {
        Value value = Value();
        const CUresult code = function(object_, &value);

        return result<Value>{code, value};
    }

  private:
    Object *object_;
};

/** A context (context.h). */
class context : public owner<context, cushim_context>
{
  public:
    using owner::owner;

    CUSHIM__CALL static result<context> retain_primary(CUdevice device) noexcept
    {
        return make(cushim_context_retain_primary, device);
    }

    CUSHIM__CALL static result<context>
    create(CUdevice device, const cushim_context_options *options = nullptr) noexcept
    {
        return make(cushim_context_create, device, options);
    }

    CUSHIM__CALL static result<context> wrap(CUcontext handle) noexcept
    {
        return make(cushim_context_wrap, handle);
    }

    CUSHIM__CALL static result<context> wrap_current() noexcept
    {
        return make(cushim_context_wrap_current);
    }

    CUSHIM__CALL result<CUcontext> handle() const noexcept { return of(cushim_context_get_handle); }
    CUSHIM__CALL result<CUdevice> device() const noexcept { return of(cushim_context_get_device); }

    CUSHIM__CALL CUresult synchronize() const noexcept { return cushim_context_synchronize(get()); }

    /** An empty owner leaves no context current. */
    CUSHIM__CALL CUresult make_current() const noexcept
    {
        return cushim_context_make_current(get());
    }
};

/**
 * Make a context current on this thread until the end of a block; then the former context is
 * current again. Scopes nest, and belong to the thread that made them.
 *
 * Making a scope can fail: check code(). If another context is on top at the end of the block, the
 * scope's context stays on the thread's stack; call pop() to learn that.
 */
class CUSHIM__NODISCARD context_scope
{
  public:
    /** Push the context, which must live until the end of the scope. */
    CUSHIM__CONSTRUCTOR explicit context_scope(const context &pushed) noexcept
        : scope_(), code_(cushim_context_push(pushed.get(), &scope_))
    {
    }
    context_scope(const context_scope &) = delete;
    context_scope &operator=(const context_scope &) = delete;
    CUSHIM__INLINE ~context_scope() { cushim_context_pop(&scope_); }

    /** The code of the push. Unless it is CUDA_SUCCESS, the scope has no effect. */
    CUSHIM__CALL CUresult code() const noexcept { return code_; }

    /** End the scope now. Calling it again after it has succeeded has no effect. */
    CUSHIM__CALL CUresult pop() noexcept { return cushim_context_pop(&scope_); }

  private:
    cushim_context_scope scope_;
    CUresult code_;
};

class event;

/** A stream (stream.h). An empty owner is no stream, and never the default stream. */
class stream : public owner<stream, cushim_stream>
{
  public:
    using owner::owner;

    CUSHIM__CALL static result<stream>
    create(const context &parent, const cushim_stream_options *options = nullptr) noexcept
    {
        return make(cushim_stream_create, parent.get(), options);
    }

    /** An empty `parent`: the context is not known. */
    CUSHIM__CALL static result<stream> wrap(CUstream handle,
                                            const context &parent = context()) noexcept
    {
        return make(cushim_stream_wrap, handle, parent.get());
    }

    CUSHIM__CALL static stream legacy() noexcept { return stream(cushim_stream_legacy()); }
    CUSHIM__CALL static stream per_thread() noexcept { return stream(cushim_stream_per_thread()); }

    CUSHIM__CALL result<CUstream> handle() const noexcept { return of(cushim_stream_get_handle); }

    CUSHIM__CALL CUresult query() const noexcept { return cushim_stream_query(get()); }
    CUSHIM__CALL CUresult synchronize() const noexcept { return cushim_stream_synchronize(get()); }

    /** cushim_stream_synchronize_for(): with a limit in time. */
    CUSHIM__CALL CUresult synchronize(timeout limit) const noexcept
    {
        return cushim_stream_synchronize_for(get(), limit.ns());
    }

    CUSHIM__CALL CUresult wait_event(const event &other) const noexcept;

    CUSHIM__CALL CUresult wait_stream(const stream &other) const noexcept
    {
        return cushim_stream_wait_stream(get(), other.get());
    }

    CUSHIM__CALL CUresult launch_host_function(CUhostFn function, void *data) const noexcept
    {
        return cushim_stream_launch_host_function(get(), function, data);
    }

    /** Destroy the driver's stream now, but keep the object. */
    CUSHIM__CALL CUresult close() const noexcept { return cushim_stream_close(get()); }
};

/** An event (event.h). */
class event : public owner<event, cushim_event>
{
  public:
    using owner::owner;

    CUSHIM__CALL static result<event> create(const context &parent,
                                             const cushim_event_options *options = nullptr) noexcept
    {
        return make(cushim_event_create, parent.get(), options);
    }

    CUSHIM__CALL static result<event>
    create_recorded(const stream &on, const cushim_event_options *options = nullptr) noexcept
    {
        return make(cushim_event_create_recorded, on.get(), options);
    }

    /** An empty `parent`: the context is not known. */
    CUSHIM__CALL static result<event> wrap(CUevent handle, const context &parent = context(),
                                           const cushim_event_options *known = nullptr) noexcept
    {
        return make(cushim_event_wrap, handle, parent.get(), known);
    }

    CUSHIM__CALL result<CUevent> handle() const noexcept { return of(cushim_event_get_handle); }

    CUSHIM__CALL CUresult record(const stream &on) const noexcept
    {
        return cushim_event_record(get(), on.get());
    }

    CUSHIM__CALL CUresult query() const noexcept { return cushim_event_query(get()); }
    CUSHIM__CALL CUresult synchronize() const noexcept { return cushim_event_synchronize(get()); }

    /** cushim_event_synchronize_for(): with a limit in time. */
    CUSHIM__CALL CUresult synchronize(timeout limit) const noexcept
    {
        return cushim_event_synchronize_for(get(), limit.ns());
    }

    /** Destroy the driver's event now, but keep the object. */
    CUSHIM__CALL CUresult close() const noexcept { return cushim_event_close(get()); }

  private:
    friend class event_pool; // makes events
};

CUSHIM__INLINE CUresult stream::wait_event(const event &other) const noexcept
{
    return cushim_stream_wait_event(get(), other.get());
}

/** Measure the time between two recorded events: cushim_event_get_elapsed(). */
CUSHIM__CALL result<elapsed_time> elapsed(const event &start, const event &end) noexcept
{
    float ms = 0;
    const CUresult code = cushim_event_get_elapsed(start.get(), end.get(), &ms);

    return result<elapsed_time>{code, elapsed_time(ms)};
}

/** A pool of events (event_pool.h). */
class event_pool : public owner<event_pool, cushim_event_pool>
{
  public:
    using owner::owner;

    CUSHIM__CALL static result<event_pool>
    create(const context &parent, const cushim_event_options *kind = nullptr,
           const cushim_event_pool_options *options = nullptr) noexcept
    {
        return make(cushim_event_pool_create, parent.get(), kind, options);
    }

    /** The event returns to the pool when its last owner releases it. */
    CUSHIM__CALL result<event> acquire() const noexcept
    {
        return event::make(cushim_event_pool_acquire, get());
    }
};

} // namespace cushim

#undef CUSHIM__NODISCARD
#undef CUSHIM__INLINE
#undef CUSHIM__CALL
#undef CUSHIM__CONSTRUCTOR

#endif
