/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search tree whose nodes are members of what they sort. Random priorities keep it balanced (a
 * treap), so that a million nodes in any order cost a logarithm each.
 */
#ifndef CUSHIM_SRC_BASE_TREE_H
#define CUSHIM_SRC_BASE_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct cushim__tree_node {
    struct cushim__tree_node *left, *right;
    uint32_t priority;
};

struct cushim__tree {
    struct cushim__tree_node *root;
    /* Whether `a` sorts before `b`. Of two different nodes in the tree, one does. */
    bool (*before)(const struct cushim__tree_node *a, const struct cushim__tree_node *b);
    uint32_t random;
};

void cushim__tree_add(struct cushim__tree *tree, struct cushim__tree_node *node);

/* The node must be in the tree. */
void cushim__tree_remove(struct cushim__tree *tree, struct cushim__tree_node *node);

/* The last node that does not sort after `key`, and the first that does not sort before it. */
struct cushim__tree_node *cushim__tree_upto(const struct cushim__tree *tree,
                                            const struct cushim__tree_node *key);
struct cushim__tree_node *cushim__tree_from(const struct cushim__tree *tree,
                                            const struct cushim__tree_node *key);

/* The first node that sorts after `key`, or the first of all if `key` is NULL. */
struct cushim__tree_node *cushim__tree_after(const struct cushim__tree *tree,
                                             const struct cushim__tree_node *key);

#endif
