/* calls.c - a program with loops in loops, leaves, recursion and pointers to functions, for thin.py:
   it sorts, walks trees and hashes, and always does the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node { int key; struct node *left, *right; } node;
static node nodes[400];
static int count, table[97];
static unsigned seed = 1;

static int draw(void) { return (int)((seed = seed * 1664525u + 1013904223u) >> 16); }
static node *insert(node *n, int key) {
    if (!n) {
        nodes[count].key = key;
        return &nodes[count++];
    }
    if (key < n->key) n->left = insert(n->left, key);
    else n->right = insert(n->right, key);
    return n;
}
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int sum(const node *n) { return n ? sum(n->left) + n->key % 7 + sum(n->right) : 0; }
static int twice(int n) { return table[n % 97] + n; }
static void fill(int *to, int n) {
    int i;
    for (i = 0; i < n; i++) to[i] = draw() % 1000;
}
static void sort(int *list, int n) {
    int i, k;
    for (i = 1; i < n; i++)
        for (k = i; k > 0 && list[k] < list[k - 1]; k--) {
            int t = list[k];
            list[k] = list[k - 1];
            list[k - 1] = t;
        }
}
static int mix(const int *list, int n) {
    int i, k, s = 0;
    for (i = 0; i < n; i++) {
        for (k = 0; k < 5; k++) table[(i + k) % 97] += list[i];
        s ^= table[i % 97] + table[(i + 31) % 97] + table[(i + 7) % 97] + list[(i * 3) % n] +
             list[n - 1 - i] + table[(s & 63)];
    }
    return s;
}
static int apply(int (*f)(int), int n) {
    int i, s = 0;
    for (i = 0; i < n; i++) s += f(i);
    return s;
}

int main(void) {
    int list[60], i, s = 0;
    node *root = NULL;
    for (i = 0; i < 12; i++) {
        int k;
        fill(list, 60);
        sort(list, 60);
        for (k = 0; k < 30; k++) root = insert(root, draw() % 5000);
        s += mix(list, 60) + sum(root) + apply(twice, 20) + apply(even, 9);
        while (s > 1000000) s /= 2;
    }
    printf("%d\n", s);
    return 0;
}
