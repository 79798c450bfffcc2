/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/order_fixture.h"

#include "tests/check/cases.h"

struct cushim_mock *order_mock;
struct cushim_layer *order_layer;
const struct cushim_table *driver;

static size_t taken;

void order_begin(const char *settings)
{
    char message[200];
    const struct cushim_mock_options mock = {.size = sizeof mock,
                                             .settings = settings,
                                             .message = message,
                                             .message_size = sizeof message};
    struct cushim_layer_options layer = {.size = sizeof layer};
    const struct cushim_check_options check = {.size = sizeof check, .settings = "level = advice"};

    if (cushim_mock_create(&mock, &order_mock) != CUDA_SUCCESS)
        fail_msg("%s", message);
    layer.table = cushim_mock_table(order_mock);
    OK(cushim_layer_create(&layer, &order_layer));
    OK(cushim_check_start(order_layer, &check));
    driver = cushim_layer_table(order_layer);
    taken = 0;
    OK(driver->Init(0));
    order_below = cushim_mock_table(order_mock);
    order_make();
}

void order_take(const char *id, size_t count)
{
    const size_t found = cushim_check_count(order_layer, NULL);

    taken += count;
    if (cushim_check_count(order_layer, id) != count || found != taken)
        check_print_findings();
    assert_int_equal(cushim_check_count(order_layer, id), count);
    assert_int_equal(found, taken);
}

void order_take_all(void)
{
    taken = cushim_check_count(order_layer, NULL);
}

void order_end(void)
{
    OK(cushim_mock_drain(order_mock));
    order_leave();
    if (cushim_check_count(order_layer, NULL) != taken)
        check_print_findings();
    assert_int_equal(cushim_check_count(order_layer, NULL), taken);
    cushim_check_stop(order_layer, NULL, 0);
    cushim_layer_destroy(order_layer);
    OK(cushim_mock_destroy(order_mock));
}

void order_end_lost(void)
{
    cushim_check_stop(order_layer, NULL, 0);
    cushim_layer_destroy(order_layer);
    cushim_mock_destroy(order_mock);
}

int order_setup(void **state)
{
    order_begin("mode = auto");
    return 0;
}

int order_teardown(void **state)
{
    order_end();
    return 0;
}

/* By calls alone, as over a driver; and by the detector of the mock, in several schedules. */
static const char *const ways[] = {"mode = auto", "races = report",
                                   "races = report\nschedule = lazy",
                                   "races = report\nschedule = random\nseed = 7"};

static void check_edge(const struct order_edge *edge, bool is_ordered, const char *way)
{
    size_t found;

    order_begin(way);
    edge->run(is_ordered);
    found = cushim_check_count(order_layer, "CUSHIM-race");
    if (found != !is_ordered) {
        check_print_findings();
        fail_msg("%s, %s, %s: %zu races", way, edge->name,
                 is_ordered ? "in order" : "without order", found);
    }
    order_take_all();
    order_end();
}

void order_check_edges(const struct order_edge *edges)
{
    for (; edges->name; edges++) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            check_edge(edges, true, ways[i]);
            check_edge(edges, false, ways[i]);
        }
    }
}
