/* What the detector keeps for each domain, and for each branch in it. Private to runtime/atomicity.
 *
 * Time is a counter of the domain. It is increased when a run begins, and wherever an order arises that a finding must
 * respect: at a spawn, at a post, at a split, and where memory is used for a new object. So of two times one can tell
 * which came first, and accesses with the same time were made by one branch without a break. */
#ifndef CHARCOAL_ATOMICITY_WATCHER_H
#define CHARCOAL_ATOMICITY_WATCHER_H

#include "charcoal_abi.h"
#include "sched/domain.h"

enum ch_access { CH_READS = 1, CH_WRITES = 2 };

/* ---- shadow.c: a cell for each four bytes, in pages that come when they are first needed ---- */

struct ch_touch {
  const struct ch_access_place *place; /* NULL: there was no such access */
  uint64_t time;
  uint32_t who;   /* the branch, by ch_watched.id */
  uint32_t value; /* valid after a write: a hash of what the location had afterwards */
};
struct ch_cell {
  uint64_t latest; /* the time of the last access << 2 | its kind; 0 if it was not an access to the whole cell */
  uint64_t born;   /* accesses before this time were to another object, which lay here then */
  struct ch_touch written, read;
  uint8_t written_bytes, read_bytes; /* bit i stands for byte i of the cell */
};
/* NULL: the memory for shadows is used up. */
CH_HIDDEN struct ch_cell *ch_shadow_cell(uintptr_t at);
/* The same, but NULL if there was no access to this page yet. */
CH_HIDDEN struct ch_cell *ch_shadow_look(uintptr_t at);
CH_HIDDEN void ch_shadow_drop(void);
CH_HIDDEN extern unsigned long ch_shadow_refused; /* how many pages got no cells */

/* ---- order.c: what a branch has been told of others ---- */

#define CH_KNOWLEDGE_MAX 12
struct ch_knowledge {
  unsigned count;
  struct {
    uint64_t time; /* what `who` did before this time is known */
    uint32_t who;
  } of[CH_KNOWLEDGE_MAX];
};
CH_HIDDEN void ch_learn(struct ch_knowledge *, uint32_t who, uint64_t time);
CH_HIDDEN void ch_learn_all(struct ch_knowledge *, const struct ch_knowledge *from);
CH_HIDDEN bool ch_knows(const struct ch_knowledge *, uint32_t who, uint64_t time);
/* Copies the running branch's knowledge to the object, and from there to the branches that wait for it. */
CH_HIDDEN void ch_tell(const void *object);

/* ---- accesses.c ---- */

/* A branch's last access to a location, and what it did there in that run. */
struct ch_branch_access {
  uintptr_t at; /* 0: the entry is free */
  uint64_t time, run;
  const struct ch_access_place *read, *write; /* the last access of each kind in that run; NULL: there was none */
  uint32_t activation, pauses, value;
  uint8_t last;      /* enum ch_access */
  uint8_t blind;     /* the run's first access was a write */
  uint8_t is_atomic; /* the last access stood in an atomic block */
  struct {
    const struct ch_access_place *place; /* NULL: this entry and those after it are unused */
    uint64_t time;
    uint32_t activation, value;
  } reads[CH_RESTS_ON]; /* the last read from each place, the newest first: what is written later may depend on them */
  /* The run began with a read of what another branch had changed since `checked`. If the run goes on to write, that was
   * a stale check. NULL: the run did not begin in this way. */
  const struct ch_access_place *checked;
  struct ch_touch changed;
};

/* How a branch was set aside. */
struct ch_pause {
  uint64_t from, to; /* to is 0 while the branch is set aside */
  const char *what;  /* "its slice was over", "waited for a descriptor" */
  bool is_wait;
  bool is_native; /* the branch was in plain code */
  struct {
    const struct ch_frame_info *info;
    uint32_t point;
  } frames[3]; /* the innermost frames; info is NULL if there are no more */
};
/* A write by a function in which the branch can be set aside. */
struct ch_branch_write {
  uintptr_t at;
  uint64_t time;
  const struct ch_access_place *place;
  uint32_t activation; /* 0: there was no such write yet */
};
#define CH_WRITES_KEPT 16
#define CH_PAUSES 8
#define CH_HELD 8

struct ch_watched {
  struct ch_watched *next;        /* the next one in the bucket */
  const struct ch_branch *branch; /* it is alive */
  uint32_t id;                    /* the number of the branch among all there ever were, from 1 */
  uint32_t pauses;                /* how often it was set aside, not counting what only stress mode does */
  uint64_t run;                   /* the time at which the present run began */
  unsigned set_aside;             /* how many entries of `last` were ever written */
  struct ch_pause last[CH_PAUSES];
  uint64_t shown;  /* when it last waited or posted; what it had written before that, others were meant to see */
  unsigned writes; /* how many entries of `wrote` were ever written */
  struct ch_branch_write wrote[CH_WRITES_KEPT];
  struct ch_knowledge knowledge;
  const void *held[CH_HELD];         /* the semaphores of which it has taken a unit */
  unsigned holds;                    /* how many entries of `held` were ever written */
  struct ch_branch_access *accesses; /* an open table of 1 << accesses_log entries; NULL: none */
  uint32_t accesses_log, accesses_count;
};

CH_HIDDEN void ch_accesses_copy(struct ch_watched *to, const struct ch_watched *from);
CH_HIDDEN void ch_accesses_free(struct ch_watched *);

/* What is kept of a branch after its end, by its id. */
#define CH_PEOPLE 65536
struct ch_person {
  const char *site; /* NULL: main */
  uint32_t id, activity;
};

#define CH_WATCH_BUCKETS 1024
struct ch_watcher {
  uint64_t now;
  struct ch_watched *current; /* NULL: no branch runs that the watcher knows */
  bool busy; /* set in a signal handler and in the program's own malloc, whose accesses are not watched */
  uint32_t ids, activations;
  struct ch_watched **watched; /* CH_WATCH_BUCKETS, by the branch's address; NULL: not begun */
  struct ch_person *people;    /* CH_PEOPLE */
};
extern CH_HIDDEN __thread __attribute__((tls_model("initial-exec"))) struct ch_watcher ch_watcher;

/* Memory that does not come from malloc, which may be the program's own. NULL: there is none. */
CH_HIDDEN void *ch_pages_take(size_t bytes);
CH_HIDDEN void ch_pages_give(void *, size_t bytes);

/* ---- findings.c ---- */

enum ch_finding_kind {
  CH_LOST_UPDATE,
  CH_STALE_CHECK,
  CH_OVERWRITTEN, /* by the same line of the source: both use one variable as if each had its own */
  CH_OVERWRITTEN_ELSEWHERE,
  CH_UNREPEATABLE,
  CH_DIRTY,
  CH_HALF_WRITTEN, /* another branch has read two locations when only the first one had been written */
  CH_FINDINGS
};
/* Reads the settings, and sees to it that what was found is summed up at the end. */
CH_HIDDEN void ch_findings_start(void);
/* Reports a finding: the places of the running branch's two accesses, and the other branch's access between them. */
CH_HIDDEN CH_COLD void ch_found(enum ch_finding_kind, uintptr_t at, const struct ch_access_place *first,
                                const struct ch_touch *other, const struct ch_access_place *second);
/* Whether `later` stands after `earlier` in the source text, or that cannot be said. */
CH_HIDDEN bool ch_stands_behind(const struct ch_access_place *earlier, const struct ch_access_place *later);
CH_HIDDEN bool ch_same_place(const struct ch_access_place *, const struct ch_access_place *);

/* ---- settings.c ---- */

struct ch_atomicity_settings {
  bool off;
  unsigned kinds;   /* bit i stands for value i of enum ch_finding_kind */
  unsigned window;  /* over how many pauses accesses of different activations belong together */
  unsigned reports; /* how many reports are written in full */
  int exit_code;    /* the status of a program that had findings and would have ended with 0; 0: it is left as it is */
  size_t memory;    /* how many bytes all cells may take */
  const char *log;  /* reports go to LOG.PID; NULL: standard error */
};
extern CH_HIDDEN struct ch_atomicity_settings ch_atomicity_settings;
/* Reads CHARCOAL_ATOMICITY. */
CH_HIDDEN void ch_atomicity_read_settings(void);
/* Whether the suppressions name this place, or the variable. */
CH_HIDDEN bool ch_is_suppressed(const struct ch_access_place *);

#endif
