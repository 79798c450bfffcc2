/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/tree.h"

#include <stddef.h>

static uint32_t next_random(struct cushim__tree *tree)
{
    uint32_t x = tree->random ? tree->random : 2463534242U;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return tree->random = x;
}

/* Split a subtree into what sorts before `key` and the rest. */
static void split(const struct cushim__tree *tree, struct cushim__tree_node *node,
                  const struct cushim__tree_node *key, struct cushim__tree_node **left,
                  struct cushim__tree_node **right)
{
    while (node)
        if (tree->before(node, key)) {
            *left = node;
            left = &node->right;
            node = node->right;
        } else {
            *right = node;
            right = &node->left;
            node = node->left;
        }
    *left = NULL;
    *right = NULL;
}

void cushim__tree_add(struct cushim__tree *tree, struct cushim__tree_node *node)
{
    struct cushim__tree_node **link = &tree->root;

    node->priority = next_random(tree);
    while (*link && (*link)->priority >= node->priority)
        link = tree->before(*link, node) ? &(*link)->right : &(*link)->left;
    split(tree, *link, node, &node->left, &node->right);
    *link = node;
}

void cushim__tree_remove(struct cushim__tree *tree, struct cushim__tree_node *node)
{
    struct cushim__tree_node **link = &tree->root, *left = node->left, *right = node->right;

    while (*link != node)
        link = tree->before(*link, node) ? &(*link)->right : &(*link)->left;
    while (left && right)
        if (left->priority > right->priority) {
            *link = left;
            link = &left->right;
            left = left->right;
        } else {
            *link = right;
            link = &right->left;
            right = right->left;
        }
    *link = left ? left : right;
}

struct cushim__tree_node *cushim__tree_upto(const struct cushim__tree *tree,
                                            const struct cushim__tree_node *key)
{
    struct cushim__tree_node *node = tree->root, *found = NULL;

    while (node)
        if (tree->before(key, node)) {
            node = node->left;
        } else {
            found = node;
            node = node->right;
        }
    return found;
}

/* The first node that sorts after `key`, or, with `or_equal`, that does not sort before it. */
static struct cushim__tree_node *first_behind(const struct cushim__tree *tree,
                                              const struct cushim__tree_node *key, bool or_equal)
{
    struct cushim__tree_node *node = tree->root, *found = NULL;

    while (node)
        if (!key || (or_equal ? !tree->before(node, key) : tree->before(key, node))) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    return found;
}

struct cushim__tree_node *cushim__tree_from(const struct cushim__tree *tree,
                                            const struct cushim__tree_node *key)
{
    return first_behind(tree, key, true);
}

struct cushim__tree_node *cushim__tree_after(const struct cushim__tree *tree,
                                             const struct cushim__tree_node *key)
{
    return first_behind(tree, key, false);
}
