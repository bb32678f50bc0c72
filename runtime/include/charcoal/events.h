/* Events and rendezvous (Tame, sections 3 and 5): callbacks and straight-line code in one program.
 *
 *   rendezvous(int) r;                                 a local variable; its events have ids of type int
 *   lookup("a.example", mkevent(r, 1, &address));      an event with the id 1 that stores an address when triggered
 *   twait(r, &id);                                     waits for one of the events, and stores its id
 *
 *   twait { lookup("a.example", mkevent(&a)); lookup("b.example", mkevent(&b)); }     waits for both
 *
 *   void lookup(const char *name, event(struct address) done) { ... ch_trigger(done, address); ... }
 *
 * An *event* stands for one thing that will happen at most once. `event(T, ...)` is the type of events that carry
 * values of these types, none to four. An event is one word; a program may copy it and keep it as it likes. The runtime
 * knows whether an event was triggered or cancelled, or its rendezvous is gone. To trigger such an event again has no
 * effect; it is counted, and reported in checked builds.
 *
 * A *rendezvous* is a set of events of one domain. `rendezvous(I)` is the type of those whose events have ids of type
 * I, `rendezvous()` the type of those without ids. A local variable of such a type begins empty, and is cancelled at
 * the end of its block. Elsewhere a rendezvous is zeroed memory, and the program calls ch_rendezvous_destroy before the
 * memory is released. A parameter `rendezvous(I)` refers to the caller's rendezvous.
 *
 * What holds for all functions unless they say otherwise:
 * Result: 0 or an error number.
 * Cancel: has no effect on them.
 * Threads: the thread of the rendezvous' domain. */
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

/* ---- private: what the macros below expand to ---- */

#define CH_EVENT_VALUES 4

/* The content of a rendezvous variable. `state` is NULL until the first event is made. */
struct ch_rendezvous {
  struct ch_rendezvous_state *state;
};
struct ch_event_tag;
typedef struct ch_event_tag *(*ch_event)(void);

/* Stands for the block of a variable that events store values into. At the end of the block those events give up the
 * variable. */
struct ch_event_anchor {
  struct ch_link slots;
  unsigned short block; /* its entry among the open blocks (sched/open_blocks.h); 0: it has none */
};
struct ch_event_slot_made {
  void *to;
  unsigned kind;
  struct ch_event_anchor *anchor; /* NULL: it is not known which variable `to` points to */
  const void *variable;           /* if `to` points into these `size` bytes, it ends with the anchor's block */
  size_t size;
};
struct ch_event_value {
  const void *from;
  unsigned kind;
};
/* The rendezvous of a block `twait { }`. */
struct ch_twait_block {
  struct ch_rendezvous rendezvous;
  unsigned short block; /* as of an anchor */
};

#if defined(__clang__)
#define CH_NO_ESCAPE __attribute__((__noescape__))
#else
#define CH_NO_ESCAPE
#endif
#define CH_EVENTS_LEAF __attribute__((__nothrow__, __leaf__))
CH_EVENTS_LEAF ch_event ch_event_make(struct ch_rendezvous *, const void *id CH_NO_ESCAPE, unsigned id_size,
                                       unsigned n, const struct ch_event_slot_made *slots CH_NO_ESCAPE,
                                       const char *site);
CH_EVENTS_LEAF int ch_event_trigger(ch_event, unsigned n, const struct ch_event_value *values CH_NO_ESCAPE);
CH_EVENTS_LEAF void ch_event_end_fork(ch_event, const void *result, unsigned kind);
CH_EVENTS_LEAF int ch_event_cancel_(ch_event);
CH_EVENTS_LEAF int ch_event_is_outstanding_(ch_event);
CH_EVENTS_LEAF int ch_rendezvous_cancel_(struct ch_rendezvous *);
CH_EVENTS_LEAF int ch_rendezvous_destroy_(struct ch_rendezvous *);
CH_EVENTS_LEAF unsigned ch_rendezvous_outstanding_(struct ch_rendezvous *);
CH_EVENTS_LEAF unsigned ch_rendezvous_triggered_(struct ch_rendezvous *);
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

/* ---- private: the sources of ch_trigger_after and what follows it ---- */
int ch_event_after_(int64_t duration, ch_event);
int ch_event_at_(int64_t time, ch_event);
int ch_event_on_fd_(int fd, int events, ch_event);
int ch_event_on_signal_(int signal, ch_event);
int ch_event_on_child_(int pid, ch_event);
int ch_event_on_end_(ch_activity *, ch_event);
struct ch_future;
int ch_event_on_future_(struct ch_future *, ch_event);
ch_event ch_event_for_future_(struct ch_future *, unsigned kind, const char *site);
ch_event ch_event_within_(int64_t duration, int signal, ch_event, unsigned kind, const char *site);
struct ch_event_relay {
  ch_event to, and_to; /* the events that the new one triggers; and_to may be NULL */
  unsigned in, out;    /* the kinds of its value and theirs; 0: none */
  void (*map)(const void *from, void *to);
  const void *bound; /* instead of a value of its own */
};
ch_event ch_event_relay_(struct ch_event_relay, const char *site);
int ch_event_all_(unsigned n, ch_event made[], ch_event, const char *site);
int ch_event_any_(unsigned n, ch_event made[], ch_event, unsigned kind, const char *site);
int ch_event_offload_(void (*function)(void *), void *argument, ch_event);

struct ch_event_lock {
  struct ch_event_turn *first, *last; /* those who wait; `last` is valid only if `first` is not NULL */
  unsigned sharers;                   /* how many hold it together */
  int alone;                          /* somebody holds it alone */
};
int ch_event_lock_take_(struct ch_event_lock *, ch_event, int shared);
int ch_event_lock_release_(struct ch_event_lock *);
int ch_event_window_(size_t n, size_t window, void (*start)(size_t, void *, ch_event), void *data, const char *site);

/* ---- numbers and mistakes ---- */

/* What has happened in the caller's domain since it began. */
struct ch_event_counts {
  uint64_t made, triggered;
  uint64_t cancelled; /* events that were cancelled by a call, or because the scope around them was cancelled */
  uint64_t leaked;    /* events that were outstanding when their rendezvous ended, with its block or by a call */
  uint64_t twice;     /* triggers of an event that had been triggered before */
  uint64_t late;      /* triggers of an event that had been cancelled or had leaked; this is usual, and ignored */
  uint64_t skipped;   /* values that were not stored, because the variable was gone */
};
/* Writes the present numbers into the structure. Never blocks. */
void ch_event_counts(struct ch_event_counts *);
/* Sets what happens after a mistake, which is a leaked event, a second trigger, or a second waiter, in all domains.
 * CH_EVENTS_COUNT: it is counted only. CH_EVENTS_REPORT, the default in checked builds: a line on standard error tells
 * about it, too. CH_EVENTS_FATAL: after that line the program ends with status CH_EXIT_MISUSE. The environment variable
 * CHARCOAL_EVENTS=count, report or fatal does the same. Never blocks.
 * Threads: any. */
enum ch_event_mistakes { CH_EVENTS_COUNT = 1, CH_EVENTS_REPORT, CH_EVENTS_FATAL };
void ch_event_mistakes(enum ch_event_mistakes);

/* Triggers an event without values; `argument` is what ch_event_argument returned for it. A program can hand this
 * function to a C library as a callback. Never blocks.
 * Result: nothing; a trigger that comes too late is ignored, as that of ch_trigger is.
 * Threads: any. */
void ch_event_callback(void *argument);

#ifdef __cplusplus
}
#else

/* ---- types ---- */

#define CH_TYPES() void
#define CH_TYPES_OF(...) __VA_ARGS__
/* The type has to lead back to I, as that of a channel does to its messages (charcoal/channel.h). `volatile`
 * distinguishes it from the types of an event's slots. */
#define rendezvous(...)                                                                                                \
  __typeof__(__typeof__(CH_TYPES##__VA_OPT__(_OF)(__VA_ARGS__))(*volatile[1])(struct ch_rendezvous *))
/* The type of a function that takes the values, so that the compiler checks the arguments of ch_trigger against it. */
#define event(...) __typeof__(struct ch_event_tag * (*)(CH_TYPES##__VA_OPT__(_OF)(__VA_ARGS__)))

/* ---- calls ---- */

/* Makes an event of rendezvous r: mkevent(r, id, &slot...); mkevent(r, &slot...) if its events have no ids; and
 * mkevent(&slot...) inside `twait { }`. `r` is a rendezvous or a pointer to one. An id with commas in it stands in
 * parentheses. When the event is triggered, its values are stored where the slots point; a null pointer of the value's
 * type, such as (int *)NULL, stores nothing. If a slot names a local variable, or a part of one, and the block of that
 * variable has ended, its value is dropped. What a slot reaches through a pointer has to live until the event is
 * triggered or cancelled. Never blocks, never switches to another activity.
 * Result: the event. If there is no memory, the program ends.
 * Source: Tame, section 3. */
#define mkevent(...) CH_EVENT_JOIN(CH_MKEVENT_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* Triggers the event: stores the values in its slots, and makes the activity ready that waits for its rendezvous. Never
 * blocks, never switches to another activity.
 * Result: 0; EALREADY: the event was triggered or cancelled before, and nothing has changed; ENOMEM: on another thread,
 * there was no memory for copies of the values.
 * Threads: any. On another thread than that of the event's domain the values are copied, and are in the slots before
 * anybody gets the id; a result of 0 then only says that the event seemed to be outstanding. A signal handler must not
 * call this; ch_trigger_on_signal takes its place.
 * Source: Tame, section 3. */
#define ch_trigger(e, ...)                                                                                             \
  ch_event_trigger(((void)sizeof(((e)(__VA_ARGS__), 0)), (ch_event)(void *)(e)), CH_EVENT_COUNT(__VA_ARGS__),          \
                   CH_EVENT_JOIN(CH_VALUES_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__))
/* Makes an event as mkevent does, and begins an activity that calls a function and triggers the event with its result:
 *
 *   tfork(r, id, f(x), &slot);      twait { tfork(f(x), &slot); }
 *   tfork(r, id, f(x));             twait { tfork(f(x)); }
 *
 * Without a slot the result is dropped, and f may return nothing. `f(x)` is written as after `activate`: f and its
 * arguments are evaluated now, by the caller. The function may wait as it likes; it runs as an ordinary activity, and
 * is not cancelled when the event is. tfork is a statement and has no result. Never blocks.
 * Source: Tame, section 4.2. */
#define tfork(...) CH_EVENT_JOIN(CH_TFORK_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__, __charcoal_to)
/* Does the same as tfork for a function that blocks its thread: the new activity lets a thread of the pool make the
 * call (see ch_offload), and other activities run meanwhile. The function runs in parallel with them, and must not call
 * functions that need a domain. If no thread can be made, the event is cancelled. */
#define tfork_offload(...) CH_EVENT_JOIN(CH_TFORK_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__, __charcoal_offload_to)
/* Cancels the event, because it will not happen or nobody wants it any more: its id does not arrive, and a source that
 * would have triggered it (ch_trigger_after and its like) is withdrawn. Never blocks.
 * Result: 0; EALREADY: the event was triggered or cancelled before. */
#define ch_event_cancel(e) ch_event_cancel_(CH_ANY_EVENT(e))
/* Tells whether the event is neither triggered nor cancelled. Never blocks.
 * Result: non-zero if so. */
#define ch_event_is_outstanding(e) ch_event_is_outstanding_(CH_ANY_EVENT(e))
/* Waits until the event is not outstanding any more. It takes nothing from the event's rendezvous.
 * Result: 0: the event was triggered; ESTALE: it was cancelled, or it was not outstanding when the call began;
 * ECANCELED: the caller's scope is cancelled. */
#define ch_event_wait(e) ch_event_wait_(CH_ANY_EVENT(e))

/* Waits for a triggered event of r, in the order in which they were triggered, and takes it from r. twait(r, &id)
 * stores the event's id in `id`; twait(r) drops it. It can stand in `waituntil`; if its clause is not selected, it has
 * taken nothing.
 * Result: 0; EBUSY: somebody waits for r already, which is a mistake; ECANCELED: nothing was taken; ESTALE: the block
 * of the local variable r has ended meanwhile.
 * Source: Tame, section 3. */
#define twait(...) CH_EVENT_JOIN(CH_TWAIT_, CH_EVENT_COUNT(__VA_ARGS__))(__VA_ARGS__)
/* Waits until no event of r is outstanding, and drops their ids. It returns at once if there is none. It can stand in
 * `waituntil`.
 * Result: as twait. */
#define ch_twait_all(r) ch_rendezvous_wait_all(CH_RENDEZVOUS(r), CH_PLACE)
/* Cancels all outstanding events of r and drops the ids of the others, so that r is as new. Never blocks.
 * Result: 0; EBUSY: somebody waits for r. */
#define ch_rendezvous_cancel(r) ch_rendezvous_cancel_(CH_RENDEZVOUS(r))
/* Ends the use of r: cancels its events as ch_rendezvous_cancel does. Events that are outstanding then have leaked,
 * which is a mistake (ch_event_mistakes). Never blocks.
 * Result: as ch_rendezvous_cancel. */
#define ch_rendezvous_destroy(r) ch_rendezvous_destroy_(CH_RENDEZVOUS(r))
/* ch_outstanding returns how many events are neither triggered nor cancelled; ch_triggered returns how many have been
 * triggered and wait for a twait. Never block. */
#define ch_outstanding(r) ch_rendezvous_outstanding_(CH_RENDEZVOUS(r))
#define ch_triggered(r) ch_rendezvous_triggered_(CH_RENDEZVOUS(r))

/* Make something trigger the event by itself. If the event is cancelled, the source is withdrawn. Never block.
 *   ch_trigger_after      when `duration` ns have passed; event()
 *   ch_trigger_at         when the clock of ch_now has reached `time`; event()
 *   ch_trigger_on_fd      when one of poll's `events` holds for the descriptor; event(int): the events that hold, or
 *                         the negative of an error number
 *   ch_trigger_on_signal  when the signal comes, which has to be blocked in all threads; event(int): its number
 *   ch_trigger_on_child   when the child process ends; event(int): its status, as waitpid tells it
 *   ch_trigger_on_end     when the activity of the handle ends; event()
 *   ch_trigger_offload    when function(argument) has returned on a thread of the pool (see ch_offload); event()
 * Result: 0; ESTALE: the event is not outstanding; EBUSY: it has such a source already; ENOMEM; EINVAL, of
 * ch_trigger_on_signal: there is no such signal. */
#define ch_trigger_after(duration, e) ch_event_after_((duration), CH_EVENT_OF(e))
#define ch_trigger_at(time, e) ch_event_at_((time), CH_EVENT_OF(e))
#define ch_trigger_on_fd(fd, events, e) ch_event_on_fd_((fd), (events), CH_EVENT_OF(e, int))
#define ch_trigger_on_signal(signal, e) ch_event_on_signal_((signal), CH_EVENT_OF(e, int))
#define ch_trigger_on_child(pid, e) ch_event_on_child_((pid), CH_EVENT_OF(e, int))
#define ch_trigger_on_end(handle, e) ch_event_on_end_((handle), CH_EVENT_OF(e))
#define ch_trigger_offload(function, argument, e) ch_event_offload_((function), (argument), CH_EVENT_OF(e))

/* Makes the future trigger the event(int) when it is set or fails. The event's value is the error number, or 0 if the
 * future was set; then ch_get returns the future's value without waiting. The future must live until the event has been
 * triggered or cancelled. It needs charcoal/future.h. Never blocks.
 * Result: 0; ESTALE: the event is not outstanding. */
#define ch_trigger_on_future(f, e) ch_event_on_future_(CH_FUTURE(f), CH_EVENT_OF(e, int))
/* Makes an event(T) for a future(T): soon after a trigger the future is set to the value, and after a cancel it fails
 * with ECANCELED. The future must live until then. It needs charcoal/future.h. Never blocks.
 * Result: the event; NULL: there is no memory. */
#define ch_event_for_future(f)                                                                                         \
  ((event(CH_FUTURE_VALUE(f)))(void *)ch_event_for_future_(CH_FUTURE(f), CH_KIND(*(CH_FUTURE_VALUE(f) *)0), CH_PLACE))
/* Makes an event(T) with a time limit for e, which is an event(_Bool, T). If the new event is triggered in time, e is
 * triggered with true and the value. If the duration, in nanoseconds, ends before that, e is triggered with false, the
 * slot of the value is unchanged, and a later trigger of the new event is ignored. If one of the two is cancelled, so
 * is the other. Never blocks.
 * Result: the event; NULL: there is no memory.
 * Source: Tame, figure 5. */
#define ch_add_timeout(T, duration, e)                                                                                 \
  ((event(T))(void *)ch_event_within_((duration), 0, CH_EVENT_OF(e, _Bool, T), CH_KIND_OF(T), CH_PLACE))
/* Does the same as ch_add_timeout with a signal, which has to be blocked in all threads, in place of the end of a
 * duration. */
#define ch_add_signal(T, signal, e)                                                                                    \
  ((event(T))(void *)ch_event_within_(CH_FOREVER, (signal), CH_EVENT_OF(e, _Bool, T), CH_KIND_OF(T), CH_PLACE))

/* Make an event that triggers others. If the new event is cancelled, so are the others; if all others have been
 * triggered or cancelled, the new one is cancelled. Never block.
 *   ch_tee(T, a, b)       an event(T) that triggers two events(T) with its value
 *   ch_bind(e, value)     an event() that triggers an event(T) with this value
 *   ch_map(T, U, f, e)    an event(T) that triggers an event(U): void f(const T *from, U *to) makes the value; f must
 *                         not wait
 * Result: the event; NULL: there is no memory. */
#define ch_tee(T, a, b)                                                                                                \
  ((event(T))(void *)ch_event_relay_(                                                                                  \
      (struct ch_event_relay){CH_EVENT_OF(a, T), CH_EVENT_OF(b, T), CH_KIND_OF(T), CH_KIND_OF(T), 0, 0}, CH_PLACE))
#define ch_bind(e, value)                                                                                              \
  ((event())(void *)ch_event_relay_((struct ch_event_relay){((void)sizeof((e)(value)), (ch_event)(void *)(e)), 0, 0,   \
                                                            CH_KIND(*(CH_VALUE_TYPE(value) *)0), 0,                    \
                                                            (CH_VALUE_TYPE(value)[1]){value}},                         \
                                    CH_PLACE))
#define ch_map(T, U, f, e)                                                                                             \
  ((event(T))(void *)ch_event_relay_(                                                                                  \
      (struct ch_event_relay){                                                                                         \
          CH_EVENT_OF(e, U), 0, CH_KIND_OF(T), CH_KIND_OF(U),                                                          \
          (void (*)(const void *, void *))(void (*[1])(const __typeof__(T) *, __typeof__(U) *)){f}[0], 0},             \
      CH_PLACE))
/* Make n events that together trigger one, and store them in the array `made`. Never block.
 *   ch_all(n, made, e)    makes events() and triggers e, an event(), when all of them have been triggered; if one of
 *                         them was cancelled, e is cancelled instead
 *   ch_any(T, n, made, e) makes events(T); the first one that is triggered triggers e, an event(int, T), with its index
 *                         and its value, and the others are cancelled
 * Result: 0; ENOMEM. */
#define ch_all(n, made, e) ch_event_all_((n), (ch_event *)(void *)(event() *[1]){made}[0], CH_EVENT_OF(e), CH_PLACE)
#define ch_any(T, n, made, e)                                                                                          \
  ch_event_any_((n), (ch_event *)(void *)(event(T) *[1]){made}[0], CH_EVENT_OF(e, int, T), CH_KIND_OF(T), CH_PLACE)

/* ch_event_argument turns an event into the void * that C libraries hand to callbacks, and checks its type:
 * library(ch_event_callback, ch_event_argument(e)). ch_event_from turns it back into an event. With both, a callback
 * with values of its own is one line: void got(void *e, int n) { ch_trigger(ch_event_from(e, int), n); }
 * Neither blocks.
 * Result: the pointer, or the event.
 * Threads: any. */
#define ch_event_argument(e, ...) ((void *)CH_EVENT_OF(e __VA_OPT__(, ) __VA_ARGS__))
#define ch_event_from(argument, ...) ((event(__VA_ARGS__))(argument))
/* ch_callback defines a callback that triggers an event of the given type:
 *
 *   ch_callback(on_read, event(ssize_t), (uv_fs_t *request), request->data, request->result)
 *
 * The third argument is the parameter list that the library wants; then follow an expression for the event, and those
 * for its values. ch_callback_data(on_read, e) is the void * to hand to the library; the compiler reports an error if e
 * is not an event(ssize_t). A value that points to the library's memory has to be used before the library reuses it.
 * Neither blocks.
 * Result: the callback returns nothing; ch_callback_data is the pointer.
 * Threads: any, as for ch_trigger. */
#define ch_callback(name, type, parameters, argument, ...)                                                             \
  typedef type name##_event;                                                                                           \
  static void name parameters { ch_trigger((name##_event)(argument)__VA_OPT__(, ) __VA_ARGS__); }
#define ch_callback_data(name, e) ((void *)(name##_event[1]){e}[0])

/* ---- locks and windows ---- */

/* A lock that is acquired by an event. It is not bound to the activity that acquired it: any code of the domain may
 * give it back. Zeroed memory is a free lock of the domain that uses it first. It is given in the order of the calls.
 *   ch_event_lock_acquire triggers e, an event(), when the caller has the lock alone; at once if it is free
 *   ch_event_lock_share   triggers e when the caller has the lock, perhaps together with others who share it
 *   ch_event_lock_release gives the lock back
 * An event that is cancelled while it waits gives up its turn, which is passed on when the lock is given back the next
 * time. Never block.
 * Result: 0; ENOMEM; EPERM, of ch_event_lock_release: nobody holds the lock.
 * Source: Tame, section 7.5. */
#define ch_event_lock_acquire(lock, e) ch_event_lock_take_((lock), CH_EVENT_OF(e), 0)
#define ch_event_lock_share(lock, e) ch_event_lock_take_((lock), CH_EVENT_OF(e), 1)
#define ch_event_lock_release(lock) ch_event_lock_release_(lock)

/* Calls start(i, data, done) for i from 0 to n - 1, in order, so that at most `window` of the events `done` are
 * outstanding at a time, and waits until all have been triggered.
 * Result: 0; EINVAL: window is 0; ECANCELED.
 * Cancel: ends the wait with ECANCELED and cancels the events that are outstanding.
 * Source: Tame, section 3.2 (windowed control flow). */
#define ch_window(n, window, start, data) ch_event_window_((n), (window), (start), (data), CH_PLACE)

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

/* CH_IS_VOID tells whether a type is void. CH_POINTER(x) is x if that is a pointer, and otherwise some pointer. */
#define CH_IF(condition, then, otherwise) __builtin_choose_expr(condition, then, otherwise)
#define CH_IS_VOID(type) __builtin_types_compatible_p(type, void)
#define CH_IS_POINTER(x) (__builtin_classify_type(x) == 5)
#define CH_POINTER(x) CH_IF(CH_IS_POINTER(x), x, (char *)0)
#define CH_POINTEE(x) __typeof_unqual__(CH_IF(CH_IS_VOID(__typeof_unqual__(*CH_POINTER(x))), (char)0, *CH_POINTER(x)))

/* mkevent's first argument `a` is either a rendezvous or a slot; these tell which. CH_BEFORE_SLOTS is the number of
 * arguments that come before the slots. */
#define CH_IS_RENDEZVOUS(a) (!__builtin_types_compatible_p(__typeof__(&*(a)), __typeof_unqual__(*(a)) *))
#define CH_IF_RENDEZVOUS(a) CH_IF(CH_IS_RENDEZVOUS(a), a, *(rendezvous() *)0)
#define CH_HAS_IDS(a) (CH_IS_RENDEZVOUS(a) && !CH_IS_VOID(CH_ID(CH_IF_RENDEZVOUS(a))))
#define CH_BEFORE_SLOTS(a) (CH_IS_RENDEZVOUS(a) + CH_HAS_IDS(a))

/* The size of a value, and a number that says how it is converted; events/values.c uses the same numbers. Values of
 * some types (_BitInt, __bf16, __float128) are not converted: the compiler refuses them as slots. */
#define CH_KIND(x) ((unsigned)sizeof(x) << 4 | CH_CLASS(x))
#define CH_CLASS(x)                                                                                                    \
  _Generic((x),                                                                                                        \
      _Bool: 1u,                                                                                                       \
      char: (char)-1 < 0 ? 2u : 3u,                                                                                    \
      signed char: 2u,                                                                                                 \
      short: 2u,                                                                                                       \
      int: 2u,                                                                                                         \
      long: 2u,                                                                                                        \
      long long: 2u,                                                                                                   \
      __int128: 2u,                                                                                                    \
      unsigned char: 3u,                                                                                               \
      unsigned short: 3u,                                                                                              \
      unsigned: 3u,                                                                                                    \
      unsigned long: 3u,                                                                                               \
      unsigned long long: 3u,                                                                                          \
      unsigned __int128: 3u,                                                                                           \
      float: 4u,                                                                                                       \
      double: 5u,                                                                                                      \
      long double: 6u,                                                                                                 \
      _Complex float: 8u,                                                                                              \
      _Complex double: 9u,                                                                                             \
      _Complex long double: 10u,                                                                                       \
      CH_CLASS_OF_HALF default: CH_IS_NUMBER(x) ? CH_NO_CLASS : 0u)
#ifdef __FLT16_MANT_DIG__
#define CH_CLASS_OF_HALF _Float16 : 7u,
#else
#define CH_CLASS_OF_HALF
#endif
#define CH_NO_CLASS 15u
/* clang's classes: an integer, a real and a complex number, a _BitInt. */
#define CH_IS_NUMBER(x) (1u << __builtin_classify_type(x) & (1u << 1 | 1u << 8 | 1u << 9 | 1u << 18))

#define CH_KIND_OF(T) CH_KIND(*(__typeof__(T) *)0)
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
/* Argument number k, as a slot if it is one. The front end replaces __charcoal_slot by the anchor, the variable and its
 * size. */
#define CH_SLOT(a, x, k)                                                                                               \
  {(void *)CH_IF(k >= CH_BEFORE_SLOTS(a) && CH_IS_POINTER(x), x, (char *)0),                                           \
   CH_KIND(*(CH_POINTEE(x) *)0) + CH_EVENT_DEMAND(k < CH_BEFORE_SLOTS(a) || CH_IS_POINTER(x),                          \
                                                  "a slot of an event is an address: write mkevent(..., &x)") +        \
       CH_EVENT_DEMAND(!(CH_CLASS(*(CH_POINTEE(x) *)0) == CH_NO_CLASS),                                                \
                       "values of this type cannot be the values of events; put it into a structure"),                 \
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

/* `activate __charcoal_to(event, kind)` gives the result of the call to the event; `to` is that word, or
 * __charcoal_offload_to, which lets a thread of the pool make the call. */
#define CH_FORK(event, call, to)                                                                                       \
  do {                                                                                                                 \
    __auto_type ch_forked = (event);                                                                                   \
    activate to(ch_forked) call;                                                                                       \
  } while (0)
#define CH_FORK_VALUE(event, call, to)                                                                                 \
  do {                                                                                                                 \
    __auto_type ch_forked = (event);                                                                                   \
    const unsigned ch_kind = CH_KIND(*(CH_VALUE_TYPE(call) *)0) + 0 * (unsigned)sizeof((ch_forked(call), 0));          \
    activate to(ch_forked, ch_kind) call;                                                                              \
  } while (0)
#define CH_TFORK_1(call, to) CH_FORK(mkevent(), call, to)
#define CH_TFORK_2(call, slot, to) CH_FORK_VALUE(mkevent(slot), call, to)
#define CH_TFORK_3(r, id, call, to) CH_FORK(mkevent(r, id), call, to)
#define CH_TFORK_4(r, id, call, slot, to) CH_FORK_VALUE(mkevent(r, id, slot), call, to)

#if defined(__CHARCOAL__)
/* What the front end turns `twait { }`, blocks with a rendezvous, and slots into. */
extern char __charcoal_twait; /* what the name means outside any `twait { }`; it is never defined */
struct __charcoal_span {
  void *at;
  __SIZE_TYPE__ size;
  unsigned short block; /* as of an anchor */
};
CH_EVENTS_LEAF unsigned short __charcoal_span_enter(struct __charcoal_span *) __asm__("ch_rendezvous_span_enter");
CH_EVENTS_LEAF unsigned short __charcoal_twait_enter(struct ch_twait_block *) __asm__("ch_twait_block_enter");
CH_EVENTS_LEAF unsigned short __charcoal_anchor_enter(struct ch_event_anchor *) __asm__("ch_event_anchor_enter");
CH_EVENTS_LEAF void __charcoal_span_leave(struct __charcoal_span *) __asm__("ch_rendezvous_span_leave");
CH_EVENTS_LEAF void __charcoal_twait_leave(struct ch_twait_block *) __asm__("ch_twait_block_leave");
/* A call of a tamed function has this where an `async` has its scope, as in the ABI. */
struct __charcoal_tamed {
  __UINTPTR_TYPE__ around;
};
extern __thread __UINTPTR_TYPE__ *__charcoal_running __asm__("ch_running") __attribute__((tls_model("initial-exec")));
CH_EVENTS_LEAF __UINTPTR_TYPE__ __charcoal_tamed_around(void) __asm__("ch_tamed_around");
static __inline__ __attribute__((__always_inline__)) void __charcoal_tamed_enter(struct __charcoal_tamed *tamed) {
  const __UINTPTR_TYPE__ *running = __charcoal_running;
  tamed->around = __builtin_expect(running && *running, 1) ? *running | 1 : __charcoal_tamed_around();
}
CH_EVENTS_LEAF void __charcoal_anchor_leave(struct ch_event_anchor *) __asm__("ch_event_anchor_leave");
#endif

#endif
#endif
#endif
