/* Events and rendezvous (Tame, sections 3 and 5): callbacks and straight-line code in one program.
 *
 *   rendezvous(int) r;                                 of a local variable; its events have ids of type int
 *   lookup("a.example", mkevent(r, 1, &address));      an event with the id 1, that stores an address when triggered
 *   twait(r, &id);                                     waits for one, and says which
 *
 *   twait { lookup("a.example", mkevent(&a)); lookup("b.example", mkevent(&b)); }     waits for both
 *
 *   void lookup(const char *name, event(struct address) done) { ... ch_trigger(done, address); ... }
 *
 * An *event* stands for one thing that will happen. `event(T, ...)` is the type of those that carry these values (none
 * to four). It is a word, to be copied and kept at will: one that has been triggered or cancelled, or whose rendezvous
 * is gone, is known as such, and triggering it is ignored, counted, and reported in checked builds.
 *
 * A *rendezvous* is a set of events, of one domain. `rendezvous(I)` is the type of those whose events have ids of type
 * I, `rendezvous()` of those without ids. A local variable begins empty, and is cancelled at the end of its block;
 * everywhere else it is zeroed memory, and ch_rendezvous_destroy comes before that memory goes. An argument
 * `rendezvous(I)` is one by reference. */
#ifndef CHARCOAL_EVENTS_H
#define CHARCOAL_EVENTS_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <charcoal.h>
#include <charcoal/clause.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- private: what the words below become ---- */

#define CH_EVENT_VALUES 4

/* What is in the variable of a rendezvous; NULL: it has had no event yet. */
struct ch_rendezvous {
  struct ch_rendezvous_state *state;
};
struct ch_event_tag;
typedef struct ch_event_tag *(*ch_event)(void);

/* The block of a variable that events store into: at its end they let go of it. Zeroed memory. */
struct ch_event_anchor {
  struct ch_link slots;
};
struct ch_event_slot_made {
  void *to;
  unsigned kind;
  struct ch_event_anchor *anchor; /* NULL: nothing is known of whose variable it is */
  const void *variable;           /* `to` is that of the anchor's block if it points in here */
  size_t size;
};
struct ch_event_value {
  const void *from;
  unsigned kind;
};
/* A block `twait { }`: its rendezvous. */
struct ch_twait_block {
  struct ch_rendezvous rendezvous;
};

#if defined(__clang__)
#define CH_NO_ESCAPE __attribute__((__noescape__))
#else
#define CH_NO_ESCAPE
#endif
#define CH_EVENTS_QUIET __attribute__((__nothrow__, __leaf__))
CH_EVENTS_QUIET ch_event ch_event_make(struct ch_rendezvous *, const void *id CH_NO_ESCAPE, unsigned id_size,
                                       unsigned n, const struct ch_event_slot_made *slots CH_NO_ESCAPE,
                                       const char *site);
CH_EVENTS_QUIET int ch_event_trigger(ch_event, unsigned n, const struct ch_event_value *values CH_NO_ESCAPE);
CH_EVENTS_QUIET int ch_event_cancel_(ch_event);
CH_EVENTS_QUIET int ch_event_is_outstanding_(ch_event);
CH_EVENTS_QUIET int ch_rendezvous_cancel_(struct ch_rendezvous *);
CH_EVENTS_QUIET int ch_rendezvous_destroy_(struct ch_rendezvous *);
CH_EVENTS_QUIET unsigned ch_rendezvous_outstanding_(struct ch_rendezvous *);
CH_EVENTS_QUIET unsigned ch_rendezvous_triggered_(struct ch_rendezvous *);
int ch_rendezvous_wait(struct ch_rendezvous *, void *id, unsigned size, const char *site);
int ch_rendezvous_wait_all(struct ch_rendezvous *, const char *site);
int ch_event_wait_(ch_event);

struct ch_rendezvous_wait__clause {
  struct ch_clause clause;
  void *to;
  unsigned size;
  const char *site;
};
CH_CLAUSE_FORM(int, ch_rendezvous_wait, struct ch_rendezvous *, void *id, unsigned size, const char *site);
struct ch_rendezvous_wait_all__clause {
  struct ch_rendezvous_wait__clause wait;
};
CH_CLAUSE_FORM(int, ch_rendezvous_wait_all, struct ch_rendezvous *, const char *site);
struct ch_event_wait___clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_event_wait_, ch_event);

/* ---- sources: what triggers an event by itself. Cancelling the event withdraws them ----
 *
 * 0; ESTALE: the event is not outstanding. ENOMEM. In the event's own domain. */
int ch_event_after_(int64_t duration, ch_event);
int ch_event_at_(int64_t time, ch_event);
int ch_event_on_fd_(int fd, int events, ch_event);
int ch_event_on_signal_(int signal, ch_event);
int ch_event_on_child_(int pid, ch_event);
int ch_event_on_end_(ch_activity *, ch_event);
int ch_event_offload_(void (*function)(void *), void *argument, ch_event);

/* ---- what has happened in this thread's domain, since it began ---- */

struct ch_event_counts {
  uint64_t made, triggered;
  uint64_t cancelled; /* on demand, or because the scope around was cancelled */
  uint64_t leaked;    /* outstanding when the block of their rendezvous was left, or it was destroyed */
  uint64_t twice;     /* triggers of an event that had been triggered */
  uint64_t late;      /* triggers of an event that had been cancelled or leaked: quite usual, and ignored */
  uint64_t skipped;   /* values that were not stored, because the variable was gone */
};
void ch_event_counts(struct ch_event_counts *);
/* What becomes of a mistake (a leaked event, a second trigger, a second waiter): nothing but the count; a line on
 * stderr (the default in checked builds); that, and the end of the program with status CH_EXIT_MISUSE. Also by
 * CHARCOAL_EVENTS=count, report or fatal in the environment. */
enum ch_event_mistakes { CH_EVENTS_COUNT = 1, CH_EVENTS_REPORT, CH_EVENTS_FATAL };
void ch_event_mistakes(enum ch_event_mistakes);

/* An event without values as a callback of a C library: function(argument) triggers it. */
void ch_event_callback(void *argument);

#ifdef __cplusplus
}
#else

/* ---- types ---- */

#define CH_TYPES() void
#define CH_TYPES_OF(...) __VA_ARGS__
/* The type leads to I; `volatile` tells it from the slots of events. */
#define rendezvous(...)                                                                                                \
  __typeof__(__typeof__(CH_TYPES##__VA_OPT__(_OF)(__VA_ARGS__))(*volatile[1])(struct ch_rendezvous *))
/* As if it were a function that takes the values; ch_trigger checks them against it. */
#define event(...) __typeof__(struct ch_event_tag * (*)(CH_TYPES##__VA_OPT__(_OF)(__VA_ARGS__)))

/* ---- calls ---- */

/* An event of rendezvous r: mkevent(r, id, &slot...), without ids mkevent(r, &slot...), and in `twait { }`
 * mkevent(&slot...). `r`: a rendezvous or a pointer to one; an id that has commas stands in brackets. When it is
 * triggered its values go where the slots point (NULL: nowhere). A slot that names a local variable, or a part of one,
 * is skipped when the block of that variable has ended; one that is reached through a pointer has to live until the
 * event is triggered or cancelled. No memory ends the program. Never blocks, never switches. */
#define mkevent(...) CH_EVENT_JOIN(CH_MKEVENT_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* Writes the slots before it returns, and never switches: who waits becomes ready. 0; EALREADY: the event was triggered
 * or cancelled before, and nothing has changed. From any thread: in another one than that of the event's domain the
 * values are copied (ENOMEM), and are in the slots before the id can be had; 0 only says that the event seemed to be
 * outstanding. Not from a signal handler: see ch_trigger_on_signal. */
#define ch_trigger(e, ...)                                                                                             \
  ch_event_trigger(((void)sizeof(((e)(__VA_ARGS__), 0)), (ch_event)(void *)(e)), CH_EVENT_COUNT(__VA_ARGS__),          \
                   CH_EVENT_JOIN(CH_VALUES_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__))
/* It will not happen, or nobody cares any more: its id does not arrive, what would have triggered it is withdrawn. 0;
 * EALREADY as above. In the event's domain only, as all that follows. */
#define ch_event_cancel(e) ch_event_cancel_(CH_ANY_EVENT(e))
#define ch_event_is_outstanding(e) ch_event_is_outstanding_(CH_ANY_EVENT(e))
/* Waits until the event is not outstanding any more, and takes nothing from its rendezvous: 0, triggered; ESTALE,
 * cancelled, or it was not outstanding when the call began. ECANCELED: the scope is cancelled. */
#define ch_event_wait(e) ch_event_wait_(CH_ANY_EVENT(e))

/* Waits for an event of r, first come first served, and takes its id: twait(r, &id); or drops it: twait(r). 0;
 * ECANCELED; EBUSY: somebody waits for r already, which is a mistake. Can stand in `waituntil`; a clause that is not
 * selected has taken nothing. */
#define twait(...) CH_EVENT_JOIN(CH_TWAIT_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__)
/* Waits until no event of r is outstanding, and drops their ids. At once if there is none. */
#define ch_twait_all(r) ch_rendezvous_wait_all(CH_RENDEZVOUS(r), CH_PLACE)
/* Cancels all that are outstanding, and drops the ids of the others: it is as new. 0; EBUSY: somebody waits. */
#define ch_rendezvous_cancel(r) ch_rendezvous_cancel_(CH_RENDEZVOUS(r))
/* The same at the end of its life; events that are outstanding have leaked, which is a mistake. */
#define ch_rendezvous_destroy(r) ch_rendezvous_destroy_(CH_RENDEZVOUS(r))
/* How many are neither triggered nor cancelled; how many have been triggered and wait for a twait. */
#define ch_outstanding(r) ch_rendezvous_outstanding_(CH_RENDEZVOUS(r))
#define ch_triggered(r) ch_rendezvous_triggered_(CH_RENDEZVOUS(r))

/* After a duration, at a time: event(). When the descriptor is ready (POLLIN, ...): event(int), with what it is ready
 * for, or -error. When the signal comes, which is blocked in all threads: event(int), its number. When the child ends:
 * event(int), its status. When the activity ends: event(). When function(argument) has returned on a thread of the pool
 * (ch_offload): event(). */
#define ch_trigger_after(duration, e) ch_event_after_((duration), CH_EVENT_OF(e))
#define ch_trigger_at(time, e) ch_event_at_((time), CH_EVENT_OF(e))
#define ch_trigger_on_fd(fd, events, e) ch_event_on_fd_((fd), (events), CH_EVENT_OF(e, int))
#define ch_trigger_on_signal(signal, e) ch_event_on_signal_((signal), CH_EVENT_OF(e, int))
#define ch_trigger_on_child(pid, e) ch_event_on_child_((pid), CH_EVENT_OF(e, int))
#define ch_trigger_on_end(handle, e) ch_event_on_end_((handle), CH_EVENT_OF(e))
#define ch_trigger_offload(function, argument, e) ch_event_offload_((function), (argument), CH_EVENT_OF(e))

/* An event of this type, checked, as what callbacks are given: library(ch_event_callback, ch_event_argument(e)). A
 * callback with values of its own is a line: void got(void *e, int n) { ch_trigger(ch_event_from(e, int), n); } */
#define ch_event_argument(e, ...) ((void *)CH_EVENT_OF(e __VA_OPT__(, ) __VA_ARGS__))
#define ch_event_from(argument, ...) ((event(__VA_ARGS__))(argument))

/* ---- how they are made ---- */

#define CH_EVENT_COUNT(...) CH_EVENT_COUNT_(__VA_ARGS__ __VA_OPT__(, ) 6, 5, 4, 3, 2, 1, 0)
#define CH_EVENT_COUNT_(a, b, c, d, e, f, n, ...) n
#define CH_EVENT_JOIN(a, b) CH_EVENT_JOIN_(a, b)
#define CH_EVENT_JOIN_(a, b) a##b

#define CH_EVENT_OF(e, ...) ((ch_event)(void *)(event(__VA_ARGS__)[1]){e}[0])
#define CH_ANY_EVENT(e) ((void)sizeof(**(e)), (ch_event)(void *)(e))
#define CH_RENDEZVOUS(r) ((void)sizeof(CH_ID(r) *), (struct ch_rendezvous *)(r))
#define CH_ID(r) __typeof__((***(r))((struct ch_rendezvous *)0))
#define CH_TWAIT_1(r) ch_rendezvous_wait(CH_RENDEZVOUS(r), (void *)0, 0, CH_PLACE)
#define CH_TWAIT_2(r, id) ch_rendezvous_wait(CH_RENDEZVOUS(r), (CH_ID(r) *[1]){id}[0], sizeof(CH_ID(r)), CH_PLACE)

/* Of a type: whether it is void. Of what may be no pointer: one in its place. */
#define CH_IF(condition, then, otherwise) __builtin_choose_expr(condition, then, otherwise)
#define CH_IS_VOID(type) __builtin_types_compatible_p(type, void)
#define CH_IS_POINTER(x) (__builtin_classify_type(x) == 5)
#define CH_POINTER(x) CH_IF(CH_IS_POINTER(x), x, (char *)0)
#define CH_POINTEE(x) __typeof_unqual__(CH_IF(CH_IS_VOID(__typeof_unqual__(*CH_POINTER(x))), (char)0, *CH_POINTER(x)))

/* Of mkevent's first argument: a rendezvous, or a slot. How many of the arguments are no slots. */
#define CH_IS_RENDEZVOUS(a) (!__builtin_types_compatible_p(__typeof__(&*(a)), __typeof_unqual__(*(a)) *))
#define CH_IF_RENDEZVOUS(a) CH_IF(CH_IS_RENDEZVOUS(a), a, *(rendezvous() *)0)
#define CH_HAS_IDS(a) (CH_IS_RENDEZVOUS(a) && !CH_IS_VOID(CH_ID(CH_IF_RENDEZVOUS(a))))
#define CH_BEFORE_SLOTS(a) (CH_IS_RENDEZVOUS(a) + CH_HAS_IDS(a))

/* The size of a value, and how it is converted: events/values.c knows these numbers. */
#define CH_KIND(x)                                                                                                     \
  ((unsigned)sizeof(x) << 4 | _Generic((x),                                                                            \
       _Bool: 1u,                                                                                                      \
       char: (char)-1 < 0 ? 2u : 3u,                                                                                   \
       signed char: 2u,                                                                                                \
       short: 2u,                                                                                                      \
       int: 2u,                                                                                                        \
       long: 2u,                                                                                                       \
       long long: 2u,                                                                                                  \
       unsigned char: 3u,                                                                                              \
       unsigned short: 3u,                                                                                             \
       unsigned: 3u,                                                                                                   \
       unsigned long: 3u,                                                                                              \
       unsigned long long: 3u,                                                                                         \
       float: 4u,                                                                                                      \
       double: 5u,                                                                                                     \
       long double: 6u,                                                                                                \
       default: 0u))

#define CH_VALUE_TYPE(v) __typeof__(((void)0, (v)))
#define CH_VALUE(v) {(CH_VALUE_TYPE(v)[1]){v}, CH_KIND(*(CH_VALUE_TYPE(v) *)0)}
#define CH_VALUES_0() (const struct ch_event_value *)0
#define CH_VALUES_1(a) ((const struct ch_event_value[]){CH_VALUE(a)})
#define CH_VALUES_2(a, b) ((const struct ch_event_value[]){CH_VALUE(a), CH_VALUE(b)})
#define CH_VALUES_3(a, b, c) ((const struct ch_event_value[]){CH_VALUE(a), CH_VALUE(b), CH_VALUE(c)})
#define CH_VALUES_4(a, b, c, d) ((const struct ch_event_value[]){CH_VALUE(a), CH_VALUE(b), CH_VALUE(c), CH_VALUE(d)})

#define CH_EVENT_DEMAND(condition, why)                                                                                \
  (0 * (unsigned)sizeof(struct {                                                                                       \
     _Static_assert(condition, why);                                                                                   \
     int unused;                                                                                                       \
   }))
/* Argument number k, as a slot if it is one. The front end replaces __charcoal_slot by the anchor and the variable. */
#define CH_SLOT(a, x, k)                                                                                               \
  {(void *)CH_IF(k >= CH_BEFORE_SLOTS(a) && CH_IS_POINTER(x), x, (char *)0),                                           \
   CH_KIND(*(CH_POINTEE(x) *)0) + CH_EVENT_DEMAND(k < CH_BEFORE_SLOTS(a) || CH_IS_POINTER(x),                          \
                                                  "a slot of an event is an address: write mkevent(..., &x)"),         \
   __charcoal_slot(x)}
#define CH_ID_OF(a, id)                                                                                                \
  CH_IF(CH_HAS_IDS(a),                                                                                                 \
        ((void)sizeof(*(CH_ID_TYPE(a) *)0 = CH_IF(CH_HAS_IDS(a), id, (char)0)),                                        \
         (const void *)(CH_ID_TYPE(a)[1]){CH_IF(CH_HAS_IDS(a), id, (char)0)}),                                         \
        (const void *)0)
#define CH_ID_TYPE(a) __typeof__(CH_IF(CH_HAS_IDS(a), *(CH_ID(CH_IF_RENDEZVOUS(a)) *)0, (char)0))
#define CH_ID_SIZE(a) (CH_HAS_IDS(a) ? (unsigned)sizeof(CH_ID(CH_IF_RENDEZVOUS(a))) : 0u)
#define CH_HOME(a)                                                                                                     \
  (CH_EVENT_DEMAND(CH_IS_RENDEZVOUS(a) || sizeof(__charcoal_twait) > 1,                                                \
                   "outside 'twait { ... }' an event needs a rendezvous: write mkevent(r, ...)") +                     \
   (struct ch_rendezvous *)CH_IF(CH_IS_RENDEZVOUS(a), (void *)(a), (void *)&__charcoal_twait))
#define CH_EVENT_AS(type, a, id, n, ...)                                                                               \
  ((type)(void *)ch_event_make(CH_HOME(a), CH_ID_OF(a, id), CH_ID_SIZE(a), (n) - CH_BEFORE_SLOTS(a),                   \
                               (const struct ch_event_slot_made[]){__VA_ARGS__} + CH_BEFORE_SLOTS(a), CH_PLACE))
#define CH_EVENT_TYPE(a, implicit, without, with)                                                                      \
  __typeof__(CH_IF(CH_BEFORE_SLOTS(a) == 0, (implicit)0, CH_IF(CH_BEFORE_SLOTS(a) == 1, (without)0, (with)0)))
#define CH_T(x) CH_POINTEE(x)

#define CH_MKEVENT_0()                                                                                                 \
  ch_event_make(CH_EVENT_DEMAND(sizeof(__charcoal_twait) > 1,                                                          \
                                "outside 'twait { ... }' an event needs a rendezvous: write mkevent(r)") +             \
                    (struct ch_rendezvous *)(void *)&__charcoal_twait,                                                 \
                (void *)0, 0, 0, (const struct ch_event_slot_made *)0, CH_PLACE)
#define CH_MKEVENT_1(a)                                                                                                \
  (CH_EVENT_DEMAND(!CH_HAS_IDS(a), "the events of this rendezvous have ids: write mkevent(r, id, &slot...)"),          \
   CH_EVENT_AS(CH_EVENT_TYPE(a, event(CH_T(a)), event(), event()), a, 0, 1, CH_SLOT(a, a, 0)))
#define CH_MKEVENT_2(a, b)                                                                                             \
  CH_EVENT_AS(CH_EVENT_TYPE(a, event(CH_T(a), CH_T(b)), event(CH_T(b)), event()), a, b, 2, CH_SLOT(a, a, 0),           \
              CH_SLOT(a, b, 1))
#define CH_MKEVENT_3(a, b, c)                                                                                          \
  CH_EVENT_AS(CH_EVENT_TYPE(a, event(CH_T(a), CH_T(b), CH_T(c)), event(CH_T(b), CH_T(c)), event(CH_T(c))), a, b, 3,    \
              CH_SLOT(a, a, 0), CH_SLOT(a, b, 1), CH_SLOT(a, c, 2))
#define CH_MKEVENT_4(a, b, c, d)                                                                                       \
  CH_EVENT_AS(CH_EVENT_TYPE(a, event(CH_T(a), CH_T(b), CH_T(c), CH_T(d)), event(CH_T(b), CH_T(c), CH_T(d)),            \
                            event(CH_T(c), CH_T(d))),                                                                  \
              a, b, 4, CH_SLOT(a, a, 0), CH_SLOT(a, b, 1), CH_SLOT(a, c, 2), CH_SLOT(a, d, 3))
#define CH_MKEVENT_5(a, b, c, d, e)                                                                                    \
  (CH_EVENT_DEMAND(CH_IS_RENDEZVOUS(a), "an event has at most four values"),                                           \
   CH_EVENT_AS(CH_EVENT_TYPE(a, event(), event(CH_T(b), CH_T(c), CH_T(d), CH_T(e)), event(CH_T(c), CH_T(d), CH_T(e))), \
               a, b, 5, CH_SLOT(a, a, 0), CH_SLOT(a, b, 1), CH_SLOT(a, c, 2), CH_SLOT(a, d, 3), CH_SLOT(a, e, 4)))
#define CH_MKEVENT_6(a, b, c, d, e, f)                                                                                 \
  (CH_EVENT_DEMAND(CH_HAS_IDS(a), "an event has at most four values"),                                                 \
   CH_EVENT_AS(event(CH_T(c), CH_T(d), CH_T(e), CH_T(f)), a, b, 6, CH_SLOT(a, a, 0), CH_SLOT(a, b, 1),                 \
               CH_SLOT(a, c, 2), CH_SLOT(a, d, 3), CH_SLOT(a, e, 4), CH_SLOT(a, f, 5)))

#if defined(__CHARCOAL__)
/* What the front end makes of `twait { }`, of blocks that hold a rendezvous, and of slots. */
extern char __charcoal_twait; /* outside any `twait { }`; never defined */
struct __charcoal_span {
  void *at;
  __SIZE_TYPE__ size;
};
CH_EVENTS_QUIET void __charcoal_span_leave(struct __charcoal_span *) __asm__("ch_rendezvous_span_leave");
CH_EVENTS_QUIET void __charcoal_twait_leave(struct ch_twait_block *) __asm__("ch_twait_block_leave");
CH_EVENTS_QUIET void __charcoal_tamed_enter(struct __charcoal_scope *) __asm__("ch_tamed_enter");
CH_EVENTS_QUIET void __charcoal_anchor_leave(struct ch_event_anchor *) __asm__("ch_event_anchor_leave");
#endif

#endif
#endif
#endif
