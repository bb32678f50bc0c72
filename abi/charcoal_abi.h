/* The one contract between the code that charcoal-cc generates and the runtime.
 *
 * The compiler's side of it is compiler/passes/abi.h; tests/abi checks that both agree.
 * README.md beside this file tells the story; this header is what is true.
 */
#ifndef CHARCOAL_ABI_H
#define CHARCOAL_ABI_H

#include <stddef.h>
#include <stdint.h>

/* What an interruptible call says of itself, always in the first integer return register,
 * whatever else the function returns: so a call through a mismatched prototype still reads it. */
enum ch_status {
  CH_DONE = 0,    /* the call has finished; its result stands in the registers after the status */
  CH_BLOCKED = 1, /* the branch waits for something; its frames have been saved */
  CH_PAUSED = 2,  /* the activity gives way at a yield point; its frames have been saved */
  CH_JUMPED = 3,  /* a longjmp to a function further out is under way; its frames have been saved, to be freed */
};

struct ch_frame;

/* A function that was inlined into another one, where a resume point stands inside it. Read-only, emitted by the
 * compiler. */
struct ch_inlined {
  const struct ch_inlined *caller; /* into which this one was inlined; NULL: the function that the frame belongs to */
  const char *name, *file;
  uint32_t line; /* where in this function the point stands, or the call of the next inner one */
  uint32_t reserved;
};

/* One per interruptible function, read-only, emitted by the compiler. */
struct ch_frame_info {
  /* Enters the function through its dispatch. Returns its status; on CH_DONE the result stands in
   * ch_tls.result. The frame must be off every list; the callee frees or keeps it. */
  int (*resume)(struct ch_frame *);
  void *fn;              /* the interruptible version (name.int); or NULL for runtime frames */
  const char *name;      /* the function's name as written */
  const char *file;      /* its source file; NULL when compiled without -g */
  const uint32_t *lines; /* line of each resume point in `file` (1-based index: lines[point - 1]); NULL without -g */
  uint32_t points;       /* number of resume points */
  uint32_t size;         /* bytes of a frame, header included */
  uint32_t image;        /* bytes of it, after the header, that are copied from and to the native stack */
  uint32_t align;        /* alignment of the frame, a power of two; 16 unless a local wants more */
  uint16_t flags;        /* CH_FRAME_… */
  uint16_t asyncs;       /* the first so many resume points stand behind `async` statements */
  uint32_t small; /* size rounded up to 16 for a frame that is CH_SMALL_FRAME; else 0. The runtime's fast paths look
                   * at nothing else */
  /* The innermost inlined function at each resume point, or NULL: inlined[point - 1]. NULL without -g, or if no point
   * is in an inlined function. */
  const struct ch_inlined *const *inlined;
};

/* The frame is taken when the function is entered, or uses the first of them, and freed when it returns: locals with
 * fixed addresses live in it (after the image). Without this flag a frame is taken when the
 * function is suspended and freed when it is resumed. */
#define CH_FRAME_HOME 1u
/* The frame stands for a call that has not begun: its image starts with the address of the interruptible
 * function, which is then called with the arguments that follow. `name` is NULL. */
#define CH_FRAME_ENTRY 2u
/* The last word of the image is the head of the list of the activation's variable-length locals (ch_alloca). */
#define CH_FRAME_DYNAMIC 8u

struct ch_frame {
  const struct ch_frame_info *info; /* never NULL in a live frame */
  struct ch_frame *parent;          /* the caller's frame; meaningful while suspended */
  uint32_t point;                   /* where to go on, 1 .. info->points; 0 in a frame not yet suspended */
  uint32_t held;                    /* not 0: ch_frame_free has more to do than to put it on a list */
  unsigned char image[];            /* info->image bytes, then the fixed locals */
};
#define CH_FRAME_HEADER 24u

/* What goes through the runtime's fast paths: a small frame of ordinary alignment that lives from suspension to
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
   * store of one of its bytes stalls for a dozen cycles. A mark of the timer's that is lost that way comes again. */
  union {
    volatile uint32_t attention; /* CH_ENTERING: just before a function is entered to be resumed; 0: by ch_restore
                                  * and at each switch */
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
  void *entry;               /* interruptible function whose entry check fired; read by the entry thunks */
  void *callee;              /* plain function behind an indirect call; read by the call adapters */
  struct ch_version_entry
      *versions;           /* CH_VERSION_SLOTS of them: the interruptible versions that were asked for lately */
  struct ch_class *frames; /* of this thread; [n] is for frames of 16 * n bytes */
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
 * is the next free block. A frame of up to CH_FRAME_MAX bytes that is aligned to 16 is taken from the class of its
 * size. */
struct ch_class {
  void *free; /* first free block, or NULL */
  uint64_t live;
};
#define CH_FRAME_STEP 16u
#define CH_FRAME_MAX 4096u

/* Where in ch_tls.versions the entry of a function stands, if it is there: at this offset in bytes. */
#define CH_VERSION_SLOTS 4096u
#define CH_VERSION_OFFSET(fn) ((uintptr_t)(fn) & (CH_VERSION_SLOTS - 1) * 16)

#define CH_THREAD extern __thread __attribute__((tls_model("initial-exec")))
CH_THREAD struct ch_tls ch_tls;

/* What interruptible code calls for f of another module, of which it knows the signature S: the symbol
 * charcoal.direct.f.S. The caller defines it weakly as charcoal.external.f.S, which asks at each call whether there is
 * f.int; the module that defines f defines it as f.int. Hidden: it joins what is linked into one program or shared
 * object. */
#define CH_DIRECT_PREFIX "charcoal.direct."
#define CH_EXTERNAL_PREFIX "charcoal.external."

/* ---- called by generated code; all on the thread that runs the activity ---- */

/* Called in cold code between values that the caller has in registers: the callee keeps these, so that the caller needs
 * no place for them on its usual path, where it makes no call. */
#if defined(__x86_64__) && defined(__clang__)
#define CH_KEEPS_REGISTERS __attribute__((preserve_most))
#else
#define CH_KEEPS_REGISTERS
#endif

/* Saves a suspended activation: takes a frame, copies the image, links it, returns `status`. */
int ch_suspend(const struct ch_frame_info *, const void *image, uint32_t point, int status);
/* The same for a frame that the activation has. */
int ch_suspend_home(struct ch_frame *, const void *image, uint32_t point, int status);
/* Copies the image of ch_tls.resuming out, frees the frame unless it is CH_FRAME_HOME, clears `entering` and returns
 * the resume point; and with it the first word of ch_tls.result, so that an integer result comes in the register in
 * which the call itself would have returned it. */
struct ch_restored {
  uintptr_t point;
  uintptr_t value;
};
struct ch_restored ch_restore(void *image);
/* A frame for the whole activation. Never NULL: out of memory inside a call ends the program with a
 * message, as a stack overflow would. */
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
/* ch_frame_new for such a function. Its code itself marks where the scopes of its locals begin and end. */
struct ch_frame *ch_frame_new_guarded(const struct ch_frame_info *, const struct ch_guards *);

/* Variable-length locals: blocks on a list whose head lives in the activation's image. */
void *ch_alloca(void **list, size_t size, size_t align);
/* Releases the blocks pushed since *list was `mark` (NULL: all of them). */
void ch_alloca_release(void **list, void *mark);

/* The interruptible version of `fn`; where there is none, sets ch_tls.callee = fn and returns
 * `adapter`, which calls it. */
CH_KEEPS_REGISTERS void *ch_version_of(void *fn, void *adapter);
struct ch_version_entry {
  void *fn;      /* address of the function */
  void *version; /* its interruptible version; NULL if it turned out to have none */
};
/* Called by a constructor in each module (executable or shared object); from any thread. */
void ch_versions_register(const struct ch_version_entry *begin, const struct ch_version_entry *end);
void ch_versions_unregister(const struct ch_version_entry *begin, const struct ch_version_entry *end);

/* Runs the program: main's interruptible version is the first activity. */
int ch_main(void *main_int, int argc, char **argv, char **envp);

/* `activate`: queues an activity that will call body(copy of record). `site` names the statement for
 * reports ("file:line"), or NULL. 0, or ENOMEM with nothing changed but the handle, which is then
 * finished with that error. */
struct ch_activity;
#define CH_SPAWN_CONTAINED 1u
#define CH_SPAWN_UNSEEN 2u /* nobody looks at the result: what can never run ends the program with a message */
#define CH_SPAWN_FREE 4u   /* runs inside the atomic block, like a contained one, and may outlive it */
int ch_spawn(struct ch_activity *handle, void *body_int, const void *record, size_t size, unsigned flags,
             const char *site);

/* In a module compiled with checks: the function is about to return, and with it goes a local that activities may have
 * captured by reference (law 7). `where` names the function, and the place if that is known. */
void ch_captures_local_ends(const void *local, size_t size, const char *where);

/* Not 0: code of this process changes MXCSR by the processor's own instructions, which the x87 control word does not
 * show. Set, atomically, by generated code before such an instruction; from then on each switch reads MXCSR. */
extern int32_t ch_mxcsr_changes;

/* What becomes of activities that are spawned in an atomic block. */
#define CH_POLICY_DELAY 0u     /* they run when the outermost block has ended, unless spawned contained */
#define CH_POLICY_CONTAINED 1u /* as if each were spawned contained */
#define CH_POLICY_ERROR 2u     /* the program ends with a message */
#define CH_POLICY_FREE 3u      /* as if each were spawned free */
/* Inside such a block: sets the policy, and returns what it was, which the end of the block sets again. */
uint32_t ch_atomic_policy(uint32_t policy);

/* assert_no_yield: from now on such a block, at `site` ("file:line"), is around the running code, until this is called
 * with what it returned; NULL: none. Inside, a branch is not set aside at yield points; one that is set aside by a wait
 * ends the program with a message. */
const char *ch_no_yield(const char *site);

/* End of an atomic block while ch_tls.atomic_pending is set. ch_tls.atomic_depth has already gone down. */
void ch_atomic_settle(void);

/* ---- finish scopes and branches (AC paper, sections 2 and 4; laws 1 - 4) ---- */

/* One `do … finish` (or `noncancellable` block) while it is open. It lies in the activation that opened it, so at a
 * fixed address, and is the runtime's own from enter to leave. */
struct ch_scope {
  void *opaque[16];
};
/* The timer of a scope with a deadline, beside the scope. */
struct ch_deadline {
  void *opaque[12];
};
#define CH_SCOPE_BARRIER 1u /* noncancellable: marks outside it are not seen inside */

/* Opens a scope inside the running branch's innermost one. `site`: "file:line". Never fails; outside any domain it does
 * nothing, as do the others. */
void ch_scope_enter(struct ch_scope *, unsigned flags, const char *site);
/* Marks the scope when the clock (ch_now) reaches `when`; ch_scope_leave withdraws it. */
void ch_scope_deadline(struct ch_scope *, struct ch_deadline *, int64_t when);
/* Waits until every branch started in the scope has ended, and closes it. It is not cancelled. Every way out of the
 * block passes it. Its interruptible version, ch_scope_leave.int, blocks. */
void ch_scope_leave(struct ch_scope *);
/* `cancel`: marks the scope and every scope in it, innermost first, and ends the waits in them. Never blocks. */
void ch_scope_cancel(struct ch_scope *);

/* `async S` is a direct call of S's interruptible version. Where it returns CH_DONE nothing else happens. When it has
 * returned CH_BLOCKED its caller calls ch_async_branch and goes on behind the statement: the chain that has been saved
 * since becomes a branch of its own, with the registration of the wait, and the running branch is the caller's. */
void ch_async_branch(struct ch_scope *);
/* Of a tamed function's body, which is a branch of the scope that the caller stands in, only the first word of the
 * scope is there: the address of that other scope, with bit 0 set. The first word of what ch_running points to is that
 * address, or NULL; ch_running is NULL where no activity runs. In both cases ch_tamed_around returns the word. */
CH_THREAD struct ch_branch *ch_running;
uintptr_t ch_tamed_around(void);
/* When it has returned CH_PAUSED the caller calls ch_async_pause and is suspended itself at a point of the first
 * `info->asyncs`: a frame in a saved chain that stands at such a point has a continuation that is still due. If the
 * activity, when it goes on, blocks before S has ended, the scheduler cuts the chain just inside the innermost such
 * frame: what is inside becomes a branch, and the frame is resumed at once. */
void ch_async_pause(void);
/* First thing when such a frame is resumed, whether S has ended or was cut off. In the latter case the new branch
 * learns here which scope it belongs to. */
void ch_async_resumed(struct ch_scope *);

/* ---- functions that call setjmp ---- */

/* One activation of a function that calls setjmp. It stays on the native stack, where longjmp finds it: when a call
 * that it made has been suspended, its stack is set aside until that call has ended. It lies in the activation. */
struct ch_anchor {
  void *opaque[10];
};
/* True: others of the activity may have to go on while this activation waits, and its callers stand below it on the
 * stack; or the stack is nearly full. So it gives way before it begins (the entry thunk), and is then begun on a stack
 * without them. */
int ch_anchor_steps_aside(void);
/* First thing in the function. `info` stands for it in reports; its `resume` is ch_anchor_resume. */
void ch_anchor_begin(struct ch_anchor *, const struct ch_frame_info *info);
int ch_anchor_resume(struct ch_frame *);
/* The call, or yield point, with this number (1 .. info->points) has returned this status, which is not CH_DONE.
 * Returns CH_DONE when it has ended, with its result in ch_tls.result. CH_JUMPED: a jump to somewhere further out, with
 * which the function has to return at once. A jump to a setjmp of this function does not return. */
int ch_anchor_wait(struct ch_anchor *, uint32_t point, int status);
/* setjmp(buffer) has just returned `value`, `depth` atomic blocks deep. */
void ch_anchor_set(struct ch_anchor *, void *buffer, int value, uint32_t depth);

/* What stands around a call that may return twice, in a plain version: noted before the call, and set again each time
 * that it has returned. It lies in the activation. */
struct ch_around {
  void *opaque[5];
};
void ch_around_note(struct ch_around *);
void ch_around_restore(const struct ch_around *);

/* ---- -fcharcoal-atomicity (runtime/atomicity) ---- */

#define CH_RESTS_ON 3
/* A place in the source text that reads or writes memory. Read-only, emitted by the compiler. */
struct ch_access_place {
  const char *file;                     /* NULL: compiled without -g */
  const char *function;                 /* as written; NULL: unknown */
  const char *variable;                 /* the variable that is meant; NULL: memory that a pointer leads to */
  const struct ch_access_place *inside; /* the call into which it was inlined; NULL: none */
  const struct ch_access_place *rests_on[CH_RESTS_ON]; /* of a write: places of reads from which its value was computed;
                                                        * NULL behind the last */
  uint32_t line, column;                               /* 0: unknown */
  uint32_t size;                                       /* bytes that are read or written; 0 in the place of a call */
  uint32_t is_tested;                                  /* of a read: a decision hangs on its value */
};

/* By a constructor of each module, and by its destructor. */
void ch_atomicity_begin(void);
void ch_atomicity_unload(void);
/* Right after each access to memory that others may see. `activation`: what ch_atomicity_enter returned in this
 * activation of the function; 0: it cannot be suspended. */
uint32_t ch_atomicity_enter(void);
void ch_atomicity_read(const void *, const struct ch_access_place *, uint32_t activation);
void ch_atomicity_write(const void *, const struct ch_access_place *, uint32_t activation);
void ch_atomicity_read_range(const void *, size_t, const struct ch_access_place *, uint32_t activation);
void ch_atomicity_write_range(const void *, size_t, const struct ch_access_place *, uint32_t activation);
/* What lies there from now on has nothing to do with what lay there before. The second: a block of malloc's, or NULL.
 */
void ch_atomicity_forget(const void *, size_t);
void ch_atomicity_forget_block(const void *);
/* What stands where the program takes the address of malloc and its like. */
void *ch_atomicity_malloc(size_t);
void *ch_atomicity_calloc(size_t, size_t);
void *ch_atomicity_realloc(void *, size_t);
void ch_atomicity_free(void *);
/* Hand-overs through a semaphore, condition, handle or scope: before a post, after a wait that returned `failed`.
 * `take` is the wait for a unit of a semaphore, which its taker may give back. */
void ch_atomicity_post(const void *);
void ch_atomicity_wait(const void *, int failed);
void ch_atomicity_take(const void *, int failed);

/* ---- how a hand-written replacement of an integer- or pointer-returning function looks ---- */
struct ch_int_result {
  long status; /* enum ch_status */
  long value;  /* the function's result when status is CH_DONE */
};
#define CH_INT_NAME(name) __asm__(#name ".int")

/* How it ends where it has not waited: with this result, and as a yield point. The compiler puts none into a loop of
 * such calls, so one that returned CH_DONE by itself would let the loop keep all others from running. */
struct ch_int_result ch_done_later(long value);
static inline struct ch_int_result ch_done(long value) {
  struct ch_int_result now = {CH_DONE, value};
  return __builtin_expect(ch_tls.attention == 0, 1) ? now : ch_done_later(value);
}

#endif
