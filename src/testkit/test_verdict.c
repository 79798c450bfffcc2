/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on a test: what is left, what was violated, what never came. */
#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>

#include "src/layer/layer.h"
#include "src/layer/leak_report.h"
#include "src/layer/tag.h"
#include "src/layer/tracker.h"
#include "src/testkit/test.h"

enum { TOLD = 8 };

/* The first texts of a list that the mock keeps, below a line that counts them. */
static void tell_list(struct cushim__text *text, struct cushim_mock *mock, size_t count,
                      const char *what, const char *of,
                      const char *(*at)(struct cushim_mock *mock, size_t index))
{
    const char *line;
    size_t told = 0;

    if (count == 0)
        return;
    cushim__text_format(text, "%zu %s%s%s:\n", count, what, count == 1 ? "" : "s", of);
    while (told < TOLD && (line = at(mock, told)) != NULL) {
        cushim__text_format(text, "  %s\n", line);
        told++;
    }
    if (told < count)
        cushim__text_format(text, "  and %zu more\n", count - told);
}

static void tell_mock(struct cushim__text *text, struct cushim_mock *mock)
{
    struct cushim_mock_state state = {.size = sizeof state};

    if (cushim_mock_state_get(mock, &state) != CUDA_SUCCESS)
        return;
    tell_list(text, mock, state.violations, "violation", " of the driver's rules",
              cushim_mock_violation);
    tell_list(text, mock, state.races, "missing wait", "", cushim_mock_race);
    if (state.pending > 0)
        cushim__text_format(text, "%zu operation%s pending: nobody has waited for %s\n",
                            state.pending, state.pending == 1 ? " is" : "s are",
                            state.pending == 1 ? "it" : "them");
}

/* Asked of the driver itself: it is no call of the program. */
static void tell_current(struct cushim__text *text, const struct cushim_test *test)
{
    CUcontext context = NULL;
    char tag[CUSHIM_TAG_SIZE];

    if (cushim_layer_wrapped(test->layer)->CtxGetCurrent(&context) != CUDA_SUCCESS || !context ||
        context == test->context)
        return;
    if (cushim_tag_get(test->layer, context, tag, sizeof tag) != CUDA_SUCCESS)
        cushim__text_add(text, "a context is left current for this thread\n");
    else
        cushim__text_format(text, "%s is left current for this thread\n", tag);
}

/* The reference of the test itself is none that the program has to give back. */
static void forget_context(const struct cushim_test *test)
{
    if (!test->has_retained)
        return;
    cushim__lock_take(&test->layer->lock);
    cushim__book_excuse_primary(0);
    cushim__lock_release(&test->layer->lock);
}

static void tell_faults(struct cushim__text *text, const struct cushim_test *test)
{
    const char *unused;

    for (size_t i = 0; (unused = cushim_fault_unused(test->layer, i)) != NULL; i++)
        cushim__text_format(text, "%s\n", unused);
}

/* What the program has ended of it cannot be asked, nor be ended again. */
static void look_for_parts(struct cushim__text *text, struct cushim_test *test)
{
    if (test->mock && cushim_mock_current() != test->mock) {
        cushim__text_add(text, "the mock of the test was destroyed before the test's end\n");
        test->mock = NULL;
    }
    if (cushim_layer_current() != test->layer) {
        cushim__text_add(text, "the layer of the test was destroyed before the test's end\n");
        test->layer = NULL;
    }
}

void cushim__test_tell(struct cushim_test *test, struct cushim__text *text)
{
    char verdict[4096];

    look_for_parts(text, test);
    if (!test->layer) {
        tell_mock(text, test->mock);
        cushim__left_cut(text);
        return;
    }
    cushim_layer_verify(test->layer, verdict, sizeof verdict);
    cushim__text_add(text, verdict);
    tell_mock(text, test->mock);
    tell_faults(text, test);
    tell_current(text, test);
    forget_context(test);
    cushim__left_tell(text);
    cushim__left_cut(text);
}
