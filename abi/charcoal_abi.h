/* The contract between the code that charcoal-cc generates and the runtime.
 *
 * The compiler's side of it is compiler/passes/abi.h; the test abi_agrees in tests/passes checks that both agree.
 * README.md beside this file explains the protocol; where the two differ, this header is right.
 *
 * What holds for all functions unless they say otherwise: Generated code calls them, and hand-written replacements may.
 * They never block.
 * Result: nothing. They cannot fail; if there is no memory, the program ends with a message.
 * Cancel: has no effect on them.
 * Threads: the thread that runs the activity. */
#ifndef CHARCOAL_ABI_H
#define CHARCOAL_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The status that an interruptible call returns. It is always in the first integer return register, whatever else the
 * function returns, so that a call through a mismatched prototype still reads it. */
enum ch_status {
  CH_DONE = 0,    /* the call has finished; its result stands in the registers after the status */
  CH_BLOCKED = 1, /* the branch waits for something; its frames have been saved */
  CH_PAUSED = 2,  /* the activity gives way at a yield point; its frames have been saved */
  CH_YIELDED = 3, /* as CH_PAUSED, but the program has asked for it by name (ch_reschedule) */
  CH_JUMPED = 4,  /* a longjmp to a function further out is under way; its frames have been saved and will be freed */
  CH_THROWN = 5,  /* it has ended by an exception of C++, which is in ch_tls.entry; frames of C functions between the
                   * one that threw and one that catches have been saved and will be freed */
};

struct ch_frame;

/* A function that was inlined into another one, where a resume point stands inside it. Read-only, emitted by the
 * compiler. */
struct ch_inlined {
  const struct ch_inlined *caller; /* the function that this one was inlined into; NULL: the frame's own function */
  const char *name, *file;
  uint32_t line; /* the line of the resume point, or of the call of the next inner function, in this function */
  uint32_t reserved;
};

/* One per interruptible function, read-only, emitted by the compiler. */
struct ch_frame_info {
  /* Enters the function at the frame's resume point. Returns its status; after CH_DONE the result is in ch_tls.result.
   * The frame must not be on any list; the callee frees or keeps it. */
  int (*resume)(struct ch_frame *);
  void *fn;              /* the interruptible version (name.int), or the part of it that has its code; NULL for frames
                          * of the runtime */
  const char *name;      /* the function's name as written */
  const char *file;      /* its source file; NULL when compiled without -g */
  const uint32_t *lines; /* line of each resume point in `file`: lines[point - 1]; NULL without -g */
  uint32_t points;       /* number of resume points */
  uint32_t size;         /* bytes of a frame, header included */
  uint32_t image;        /* bytes of it, after the header, that are copied from and to the native stack */
  uint32_t align;        /* alignment of the frame, a power of two; 16 unless a local wants more */
  uint16_t flags;        /* CH_FRAME_… */
  uint16_t asyncs;       /* resume points 1 to `asyncs` stand after `async` statements */
  uint32_t small; /* for a frame that is CH_SMALL_FRAME its size, rounded up to 16; otherwise 0. The runtime's fast
                   * paths read only this member */
  /* The innermost inlined function at each resume point, or NULL: inlined[point - 1]. NULL without -g, or if no point
   * is in an inlined function. */
  const struct ch_inlined *const *inlined;
};

/* The activation has the frame also while it runs. Locals with fixed addresses live there, after the image; it is taken
 * when the function is entered, or first uses one of them, and freed when the function returns. The body of an activity
 * has no other image than the frame's. Without this flag a frame is taken at suspension and freed at resumption. */
#define CH_FRAME_HOME 1u
/* The frame stands for a call that has not begun: its image starts with the address of the interruptible
 * function, which is then called with the arguments that follow. `name` is NULL. */
#define CH_FRAME_ENTRY 2u
/* The last word of the image is the head of the list of the activation's variable-length locals (ch_alloca). */
#define CH_FRAME_DYNAMIC 8u
/* The function may be resumed where a call has ended by an exception: then CH_POINT_THROWN is added to the frame's
 * point, and the exception is in ch_tls.entry. */
#define CH_FRAME_CATCHES 16u
#define CH_POINT_THROWN 0x80000000u

struct ch_frame {
  const struct ch_frame_info *info; /* never NULL in a live frame */
  struct ch_frame *parent;          /* the caller's frame; meaningful while suspended */
  uint32_t point;                   /* where to go on, 1 .. info->points; 0 in a frame not yet suspended */
  uint32_t held;                    /* not 0: ch_frame_free has to do more than put the frame on a list of free ones */
  unsigned char image[];            /* info->image bytes, then the fixed locals */
};
#define CH_FRAME_HEADER 24u

/* The frames that the runtime's fast paths handle: small ones of ordinary alignment that live from suspension to
 * resumption. */
#define CH_SMALL_FRAME(size, image, align, flags)                                                                      \
  ((size) <= 2032u && (image) <= 248u && (align) <= 16u && !((flags) & CH_FRAME_HOME))

/* Largest result that an interruptible function may return in registers. */
#define CH_RESULT_BYTES 64u

/* The first part of the thread's block, which generated code reads and writes.
 * The runtime's own part follows it in memory; generated code never looks there. */
struct ch_tls {
  /* Non-zero sends a function's entry, and every yield check, to its cold path. The slice timer's thread stores the
   * byte `slice_over`; the domain's own thread stores only the whole word, because a load of the word shortly after a
   * store of one of its bytes stalls for a dozen cycles. If a store of the timer is lost that way, the timer repeats
   * it. */
  union {
    volatile uint32_t attention; /* CH_ENTERING: just before a function is entered to be resumed; 0: by ch_restore,
                                  * and by the scheduler when it has seen `slice_over` */
    struct {
      volatile uint8_t slice_over;
      volatile uint8_t entering;
    };
  };
  uint32_t atomic_depth;     /* number of atomic blocks around the running code; written by generated code */
  uint32_t atomic_pending;   /* non-zero: the end of an atomic block must call ch_atomic_settle */
  uint32_t spawn_policy;     /* CH_POLICY_… of the innermost atomic block around the running code that names one */
  struct ch_frame *resuming; /* frame to be resumed; meaningful while `entering` is set */
  struct ch_frame **link;    /* where the next saved frame is to be stored; set before each run of a branch */
  void *entry;               /* interruptible function whose entry found `attention` set; read by some entry thunks.
                              * While a call ends with CH_THROWN: the exception; with CH_JUMPED: where to */
  void *callee;              /* plain function that an indirect call calls; read by the call adapters */
  struct ch_version_entry
      *versions;           /* a cache of CH_VERSION_SLOTS entries: interruptible versions that were looked up lately */
  struct ch_class *frames; /* of this thread: CH_CLASSES of them */
  unsigned char result[CH_RESULT_BYTES]
      __attribute__((aligned(64))); /* result of the call that just finished out of line */
};

/* `attention` with `entering` set and nothing else. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CH_ENTERING 0x00010000u
#else
#define CH_ENTERING 0x00000100u
#endif

/* Free memory of one size. Bit 0 of a block's first word is set exactly while the block is free; the rest of the word
 * is the next free block. */
struct ch_class {
  void *free; /* first free block, or NULL */
  uint64_t live;
};

/* The classes of frames: up to CH_FRAME_MAX bytes one for each multiple of CH_FRAME_STEP, and up to eight times
 * CH_FRAME_MAX eight from each power of two to the next. Class 0 never has a free block, and is that of frames for
 * which there is no other. */
#define CH_FRAME_STEP 16u
#define CH_FRAME_MAX 4096u
#define CH_LARGE_CLASS 0u
#define CH_FINE_CLASSES (CH_FRAME_MAX / CH_FRAME_STEP + 1) /* with class 0 */
#define CH_CLASSES (CH_FINE_CLASSES + 24)

/* A block of a coarse class is aligned to an eighth of CH_FRAME_MAX, and any other to the powers of two that divide its
 * size. */
static inline unsigned ch_class_of(uint64_t size, uint64_t align) {
  if (align > CH_FRAME_STEP) {
    if (align > CH_FRAME_MAX / 8 || size > 8 * CH_FRAME_MAX)
      return CH_LARGE_CLASS;
    size = (size + align - 1) & ~(align - 1);
  }
  if (size <= CH_FRAME_MAX)
    return (unsigned)((size + CH_FRAME_STEP - 1) / CH_FRAME_STEP);
  if (size > 8 * CH_FRAME_MAX)
    return CH_LARGE_CLASS;
  const unsigned doublings = (unsigned)__builtin_clzll(CH_FRAME_MAX) - (unsigned)__builtin_clzll(size - 1);
  return CH_FINE_CLASSES + 8 * doublings + (unsigned)((size - 1) / (CH_FRAME_MAX / 8) >> doublings) - 8;
}

/* The offset in bytes at which code looks in ch_tls.versions for the entry of a function. On x86-64 it is the last 16
 * bits of the address, because one instruction takes these. There a function whose address is not a multiple of 16 has
 * no entry: the offset is inside an entry, and the runtime takes care that the eight bytes at it are never the address
 * of such a function. Behind the entries lies one more, which is never used, for the offsets inside the last one. */
#define CH_VERSION_SLOTS 4096u
#define CH_VERSION_MASK(is_x86) (CH_VERSION_SLOTS * (uintptr_t)16 - ((is_x86) ? 1 : 16))
#ifdef __x86_64__
#define CH_VERSION_OFFSET(fn) ((uintptr_t)(fn) & CH_VERSION_MASK(1))
#else
#define CH_VERSION_OFFSET(fn) ((uintptr_t)(fn) & CH_VERSION_MASK(0))
#endif

/* The number of this contract. It is part of the name of the symbol that all interruptible code refers to, so objects
 * of two contracts do not link: "undefined reference to `ch_tls.1'" means that an object has to be compiled again.
 * Raise it whenever code that an earlier compiler has made would go wrong with this runtime, or the other way round. */
#define CH_ABI_NUMBER "1"
#define CH_TLS_SYMBOL "ch_tls." CH_ABI_NUMBER

#define CH_THREAD extern __thread __attribute__((tls_model("initial-exec")))
CH_THREAD struct ch_tls ch_tls __asm__(CH_TLS_SYMBOL);

/* Interruptible code calls a function f of another module, whose signature S it knows, through the symbol
 * charcoal.direct.f.S. The caller defines that symbol weakly as charcoal.external.f.S, which looks for f.int at each
 * call; the module that defines f defines it as f.int. The symbol is hidden, so that it is resolved within one program
 * or shared object. */
#define CH_DIRECT_PREFIX "charcoal.direct."
#define CH_EXTERNAL_PREFIX "charcoal.external."

/* ---- called by generated code ---- */

/* Marks functions that are called in cold code: they preserve the caller's registers, so that the caller need not save
 * values on its usual path, where it makes no call. */
#if defined(__x86_64__) && defined(__clang__)
#define CH_KEEPS_REGISTERS __attribute__((preserve_most))
#else
#define CH_KEEPS_REGISTERS
#endif

/* At which resume point an activation is suspended, and with which status, in one word. */
#define CH_WHY(point, status) (CH_WHY_POINT * (point) + (status))
#define CH_WHY_POINT 8u
#define CH_POINT_OF(why) ((why) / CH_WHY_POINT)
#define CH_STATUS_OF(why) ((why) % CH_WHY_POINT)
/* Saves a suspended activation: takes a frame, copies the image into it, and links it.
 * Result: the status in `why`. */
int ch_suspend(const struct ch_frame_info *, const void *image, uint32_t why);
/* Does the same as ch_suspend with the frame that the activation has already (CH_FRAME_HOME). */
int ch_suspend_home(struct ch_frame *, const void *image, uint32_t why);
/* Copies the image of ch_tls.resuming out, frees the frame unless it is CH_FRAME_HOME, and clears `entering`.
 * Result: the resume point, and the first word of ch_tls.result, which is thereby in the register in which the call
 * itself would have returned an integer. */
struct ch_restored {
  uintptr_t point;
  uintptr_t value;
};
struct ch_restored ch_restore(void *image);
/* ch_frame_new takes a frame for a whole activation, and ch_frame_free frees it.
 * Result: the frame, never NULL: if there is no memory, the program ends with a message, as at a stack overflow. */
CH_KEEPS_REGISTERS struct ch_frame *ch_frame_new(const struct ch_frame_info *);
CH_KEEPS_REGISTERS void ch_frame_free(struct ch_frame *);

/* Code that AddressSanitizer instruments keeps red zones between the fixed locals of its frames, as there are on its
 * stack; this describes them. */
struct ch_guards {
  const char *variables;       /* "count offset size length name ...": AddressSanitizer's way to describe a frame */
  const unsigned char *shadow; /* what the shadow memory is to contain when the function begins */
  uint32_t start;              /* offset in the frame of the first red zone; those in `variables` count from it */
  uint32_t bytes;              /* of shadow */
};
/* Does the same as ch_frame_new for such a function, whose code marks by itself where the scopes of its locals begin
 * and end. */
struct ch_frame *ch_frame_new_guarded(const struct ch_frame_info *, const struct ch_guards *);

/* Allocates a variable-length local of `size` bytes. The blocks of an activation are on a list, whose head lives in the
 * activation's image.
 * Result: the block, never NULL. */
void *ch_alloca(void **list, size_t size, size_t align);
/* Frees the blocks that were allocated since *list was `mark`; all of them if `mark` is NULL. */
void ch_alloca_release(void **list, void *mark);

/* Finds the interruptible version of `fn`.
 * Result: that version; if there is none, `adapter`, and ch_tls.callee is fn, which the adapter calls. */
CH_KEEPS_REGISTERS void *ch_version_of(void *fn, void *adapter);
struct ch_version_entry {
  void *fn;      /* address of the function */
  void *version; /* its interruptible version; NULL if it turned out to have none */
};
/* Add and remove a module's interruptible versions. Each module (executable or shared object) calls them in a
 * constructor and a destructor.
 * Threads: any. */
void ch_versions_register(const struct ch_version_entry *begin, const struct ch_version_entry *end);
void ch_versions_unregister(const struct ch_version_entry *begin, const struct ch_version_entry *end);

/* Runs the program: main's interruptible version is the first activity.
 * Result: the exit status of main. */
int ch_main(void *main_int, int argc, char **argv, char **envp);

/* `activate`: queues an activity that will call the body with a copy of the record. `site` names the statement for
 * reports ("file:line"), or is NULL.
 * Result: 0; ENOMEM: nothing has changed but the handle, which is then finished with that error. */
struct ch_activity;
#define CH_SPAWN_CONTAINED 1u
#define CH_SPAWN_UNSEEN 2u /* nobody looks at the result: an activity that can never run ends the program */
#define CH_SPAWN_FREE 4u   /* runs inside the atomic block, like a contained one, and may outlive it */
int ch_spawn(struct ch_activity *handle, void *body_int, const void *record, size_t size, unsigned flags,
             const char *site);

/* Called in a module compiled with checks when the function is about to return and activities may have captured this
 * local by reference (law 7). `where` names the function, and the place if that is known. */
void ch_captures_local_ends(const void *local, size_t size, const char *where);

/* Not 0: code of this process changes MXCSR by instructions of the processor, which cannot be seen in the x87 control
 * word. Generated code sets it, atomically, before such an instruction; from then on each switch reads MXCSR. */
extern int32_t ch_mxcsr_changes;

/* What becomes of activities that are spawned in an atomic block. */
#define CH_POLICY_DELAY 0u     /* they run when the outermost block has ended, unless spawned contained */
#define CH_POLICY_CONTAINED 1u /* as if each were spawned contained */
#define CH_POLICY_ERROR 2u     /* the program ends with a message */
#define CH_POLICY_FREE 3u      /* as if each were spawned free */
/* Sets the policy inside an atomic block.
 * Result: the policy before, which the end of the block sets again. */
uint32_t ch_atomic_policy(uint32_t policy);

/* `assert_no_yield`: begins such a block, at `site` ("file:line"), around the running code. A second call, with the
 * result of the first, ends it. Inside, a branch is not set aside at yield points; if it is set aside by a wait, the
 * program ends with a message.
 * Result: the `site` of the block around this one; NULL: there is none. */
const char *ch_no_yield(const char *site);

/* Called at the end of an atomic block if ch_tls.atomic_pending is set, after ch_tls.atomic_depth was decremented. */
void ch_atomic_settle(void);

/* ---- finish scopes and branches (AC paper, sections 2 and 4; laws 1 - 4) ---- */

/* One open `do … finish` (or `noncancellable` block). It lies in the activation that opened it, at a fixed address, and
 * only the runtime uses its content from ch_scope_enter to ch_scope_leave. */
struct ch_scope {
  void *opaque[16];
};
/* The timer of a scope with a deadline, beside the scope. */
struct ch_deadline {
  void *opaque[12];
};
#define CH_SCOPE_BARRIER 1u /* noncancellable: a cancel of a scope outside it has no effect inside */

/* Opens a scope inside the innermost one of the running branch. `site` is "file:line". Outside any domain it does
 * nothing, as the other functions of scopes do. */
void ch_scope_enter(struct ch_scope *, unsigned flags, const char *site);
/* Marks the scope when the clock (ch_now) reaches `when`; ch_scope_leave withdraws it. */
void ch_scope_deadline(struct ch_scope *, struct ch_deadline *, int64_t when);
/* Waits until every branch started in the scope has ended, and closes it. A cancel does not end this wait. Generated
 * code calls it on every way out of the block. Its interruptible version is ch_scope_leave.int. */
void ch_scope_leave(struct ch_scope *);
/* `cancel`: marks the scope and every scope in it, innermost first, and ends the waits in them. Never blocks. */
void ch_scope_cancel(struct ch_scope *);

/* `async S` is a direct call of S's interruptible version. If it returns CH_DONE, nothing else happens. If it returns
 * CH_BLOCKED, its caller calls ch_async_branch and goes on after the statement: the chain of frames that was saved
 * during the call becomes a branch of its own, which takes over the wait, and the caller's branch is the running one.
 */
void ch_async_branch(struct ch_scope *);
/* The body of a tamed function is a branch of its caller's scope, and has only the first word of a scope of its own:
 * the address of the caller's scope, with bit 0 set. That address is the first word of what ch_running points to. If it
 * is NULL, or ch_running is, because no activity runs, ch_tamed_around returns the word. */
CH_THREAD struct ch_branch *ch_running;
uintptr_t ch_tamed_around(void);
/* If `async S` returns CH_PAUSED, its caller calls ch_async_pause and is suspended, too, at one of the resume points 1
 * to `info->asyncs`: a frame in a saved chain that is at such a point still has to go on after its `async`. If the
 * activity goes on and blocks before S has ended, the scheduler cuts the chain just inside the innermost such frame:
 * the part inside becomes a branch, and the frame is resumed at once. */
void ch_async_pause(void);
/* Called first when such a frame is resumed, whether S has ended or was cut off. In the latter case it tells the new
 * branch which scope it belongs to. */
void ch_async_resumed(struct ch_scope *);

/* ---- functions that call setjmp ---- */

/* One activation of a function that calls setjmp. It stays on the native stack, where longjmp finds it: when a call
 * that it made has been suspended, its stack is set aside until that call has ended. It lies in the activation. */
struct ch_anchor {
  void *opaque[10];
};
/* Asked by the entry thunk. The activation gives way before it begins, and begins later on a stack without its callers,
 * if other branches of the activity may have to go on while it waits, or if the stack is nearly full.
 * Result: non-zero if it has to give way. */
int ch_anchor_steps_aside(void);
/* Called first in the function. `info` stands for it in reports; the member `resume` there is ch_anchor_resume. */
void ch_anchor_begin(struct ch_anchor *, const struct ch_frame_info *info);
int ch_anchor_resume(struct ch_frame *);
/* Called where a call of a function that passes exceptions on has ended by one. Throws it here. */
_Noreturn void ch_throw_here(void);

/* Called around what makes the `thread_local` variables of C++ that have this guard, zero at first. The first byte of
 * the guard is 1 when they have been made, and compiled code asks only where it is 0.
 * Result: 1: the caller is to make them, and to call ch_thread_variables_end however that ends; 0: it may use them,
 * because they have been made, or because the activity, or a thread without activities, is making them itself. Waits
 * while another activity makes them; is not cancelled. */
int ch_thread_variables_begin(uint64_t *guard);
void ch_thread_variables_end(uint64_t *guard);

/* Called when the call, or yield point, with this number (1 .. info->points) has returned this status, which is not
 * CH_DONE. Waits until that call has ended. A jump to a setjmp of this function does not return.
 * Result: CH_DONE: the call has ended, and its result is in ch_tls.result; CH_JUMPED: a jump to a function further out
 * is under way, and the function has to return this status at once. */
int ch_anchor_wait(struct ch_anchor *, uint32_t point, int status);
/* Called when setjmp(buffer) has just returned `value`, inside `depth` atomic blocks. */
void ch_anchor_set(struct ch_anchor *, void *buffer, int value, uint32_t depth);

/* The blocks around a call that may return twice, in a plain version: noted before the call, and restored each time
 * that the call has returned. It lies in the activation. */
struct ch_around {
  void *opaque[5];
};
void ch_around_note(struct ch_around *);
void ch_around_restore(const struct ch_around *);

/* ---- -fcharcoal-atomicity (runtime/atomicity) ---- */

#define CH_RESTS_ON 3
/* A place in the source text that reads or writes memory. Read-only, emitted by the compiler. */
struct ch_access_place {
  const char *file;                                    /* NULL: compiled without -g */
  const char *function;                                /* as written; NULL: unknown */
  const char *variable;                                /* the variable that is meant; NULL: memory behind a pointer */
  const struct ch_access_place *inside;                /* the call into which it was inlined; NULL: none */
  const struct ch_access_place *rests_on[CH_RESTS_ON]; /* of a write: places of reads from which its value was computed;
                                                        * NULL after the last */
  uint32_t line, column;                               /* 0: unknown */
  uint32_t size;                                       /* bytes that are read or written; 0 in the place of a call */
  uint32_t flags;                                      /* of enum ch_access_flags */
};
enum ch_access_flags {
  CH_ACCESS_TESTED = 1,  /* a read: a branch of the code depends on its value */
  CH_ACCESS_INDEXED = 2, /* its address depends on an index that was read from memory that others may see */
  CH_ACCESS_REACHED = 4, /* its address depends on a pointer that was read there */
};

/* Called by a constructor of each module, and by its destructor. */
void ch_atomicity_begin(void);
void ch_atomicity_unload(void);
/* Called right after each access to memory that others may see. `activation` is what ch_atomicity_enter returned in
 * this activation of the function; 0: it cannot be suspended.
 * Result: ch_atomicity_enter returns the number of the activation. */
uint32_t ch_atomicity_enter(void);
void ch_atomicity_read(const void *, const struct ch_access_place *, uint32_t activation);
void ch_atomicity_write(const void *, const struct ch_access_place *, uint32_t activation);
void ch_atomicity_read_range(const void *, size_t, const struct ch_access_place *, uint32_t activation);
void ch_atomicity_write_range(const void *, size_t, const struct ch_access_place *, uint32_t activation);
/* Forget all accesses to these bytes, or to a block of malloc (or NULL), whose memory has another use from now on. */
void ch_atomicity_forget(const void *, size_t);
void ch_atomicity_forget_block(const void *);
/* Stand where the program takes the address of malloc and the like.
 * Result: as malloc and the like. */
void *ch_atomicity_malloc(size_t);
void *ch_atomicity_calloc(size_t, size_t);
void *ch_atomicity_realloc(void *, size_t);
void ch_atomicity_free(void *);
/* Note a hand-over through a semaphore, condition, handle or scope: before a post, and after a wait that returned
 * `failed`. ch_atomicity_take notes a wait for a unit of a semaphore, which its taker may give back. */
void ch_atomicity_post(const void *);
void ch_atomicity_wait(const void *, int failed);
void ch_atomicity_take(const void *, int failed);

/* ---- hand-written replacements of functions that return an integer or a pointer ---- */

struct ch_int_result {
  long status; /* enum ch_status */
  long value;  /* the function's result when status is CH_DONE */
};
#define CH_INT_NAME(name) __asm__(#name ".int")
/* For a function that takes variable arguments. Its replacement has the address of a block that holds them as its last
 * parameter, and a call that knows nothing of the dots, as after `int f();`, must not find it. */
#define CH_VARIADIC_INT_NAME(name) __asm__(#name ".variadic.int")

/* Called last in a replacement that has not waited: returns this result, and is a yield point. The compiler puts no
 * yield point into a loop of such calls, so if replacements returned CH_DONE directly, the loop would keep all other
 * activities from running. ch_done_later is the part for the end of a slice.
 * Result: a status, with the value. */
struct ch_int_result ch_done_later(long value);
static inline struct ch_int_result ch_done(long value) {
  struct ch_int_result now = {CH_DONE, value};
  return __builtin_expect(ch_tls.attention == 0, 1) ? now : ch_done_later(value);
}

#endif
