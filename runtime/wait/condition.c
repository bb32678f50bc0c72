/* The condition of a statement with `and`: which of its clauses have to complete.
 *
 * It is a tree. Node 0 is the whole statement, nodes 1 to n are its clauses, in textual order, and after them come the
 * others: a node for each bracket, and one for each alternative. The statement and a bracket wait for one of their
 * alternatives. An alternative waits for all clauses and brackets that `and` joins, and a clause waits for itself. Each
 * node counts what it still waits for. When this becomes 0, the node above it has one thing less to wait for; so all
 * that the clauses of a statement do to its tree takes a time that is linear in their number.
 */
#include "wait/wait.h"

enum { STATEMENT = 0, NONE = 0 };

struct condition {
  struct ch_wait_node *nodes;
  unsigned made;    /* how many nodes there are */
  unsigned bracket; /* the innermost one that is open, or the statement */
  unsigned last;    /* its last alternative, to which what follows an `and` belongs; NONE: it has nothing in it yet */
  char op;          /* the last operator */
};

/* Joins a clause or a bracket to what stands before it. Returns the alternative to which it belongs. */
static unsigned join(struct condition *c) {
  if (c->op == '|' || c->last == NONE)
    c->nodes[c->last = c->made++] = (struct ch_wait_node){.above = c->bracket};
  c->nodes[c->last].left++;
  return c->last;
}

/* While a bracket is open, `left` is the last alternative before it: a bracket that has nothing in it goes again, with
 * the operator before it. */
static void open_bracket(struct condition *c) {
  const unsigned before = c->last, alternative = join(c);
  c->nodes[c->bracket = c->made++] = (struct ch_wait_node){.above = alternative, .left = before};
  c->last = NONE;
}
static void close_bracket(struct condition *c) {
  struct ch_wait_node *bracket = &c->nodes[c->bracket];
  const unsigned alternative = bracket->above, before = bracket->left;
  if (c->last != NONE) {
    bracket->left = 1;
    c->last = alternative;
  } else {
    c->nodes[alternative].left--;
    c->made = before == alternative ? c->bracket : alternative;
    c->last = before;
  }
  c->bracket = c->nodes[alternative].above;
}

/* Reads the condition as if the clauses that the wait lacks, whose guards are false, and the operators before them were
 * not in it. */
static void make_tree(struct ch_wait_node *nodes, const struct ch_wait *w, unsigned n, const char *text) {
  struct condition c = {.nodes = nodes, .made = n + 1, .bracket = STATEMENT, .last = NONE, .op = '|'};
  const struct ch_clause *clause = w->first;
  nodes[STATEMENT] = (struct ch_wait_node){.left = 1};
  for (unsigned k = 0; *text; text++) {
    if (*text == '(') {
      open_bracket(&c);
      c.op = '|';
    } else if (*text == ')') {
      close_bracket(&c);
    } else if (*text != '.') {
      c.op = *text;
    } else if (clause && clause->index == k) {
      nodes[++k] = (struct ch_wait_node){.above = join(&c), .left = 1};
      clause = clause->next;
    } else {
      nodes[++k] = (struct ch_wait_node){0};
    }
  }
}

static bool is_open(const struct ch_wait_node *nodes) { return nodes[STATEMENT].left != 0; }

/* A clause counts once. */
static void complete(struct ch_wait_node *nodes, unsigned index) {
  for (unsigned at = index + 1; nodes[at].left != 0 && --nodes[at].left == 0;)
    at = nodes[at].above;
}

static void begin(struct ch_wait *w, struct ch_wait_node *nodes) {
  for (int k; is_open(nodes) && (k = ch_wait_begin(w)) >= 0;)
    complete(nodes, (unsigned)k);
  if (!is_open(nodes))
    ch_wait_close(w);
}

void ch_wait_begin_all(struct ch_wait *w, struct ch_wait_node *nodes, unsigned n, const char *condition) {
  if (condition)
    make_tree(nodes, w, n, condition);
  begin(w, nodes);
}

int ch_wait_try_all(struct ch_wait *w, struct ch_wait_node *nodes, unsigned n, const char *condition) {
  int result = ch_wait_may_begin();
  if (result)
    return result;
  make_tree(nodes, w, n, condition);
  for (const struct ch_clause *c = w->first; c && is_open(nodes); c = c->next)
    if (c->type->ready && c->type->ready(c))
      complete(nodes, c->index);
  if (is_open(nodes))
    return -ENOENT;
  make_tree(nodes, w, n, condition);
  begin(w, nodes);
  ch_wait_close(w);
  return 0;
}

void ch_wait_complete(struct ch_wait *w, struct ch_wait_node *nodes, unsigned index) {
  complete(nodes, index);
  if (!is_open(nodes))
    ch_wait_close(w);
}
