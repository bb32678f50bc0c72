/* Replacements of wait, waitpid, wait3, wait4, waitid, system and pclose.
 *
 * The end of one child is visible in a descriptor (pidfd). For any child, for a group, or for a child that may only
 * stop, a thread of the pool waits without taking the status (WNOWAIT). After the wait the plain call takes the status;
 * it may find that another caller has taken it already. */
#define _GNU_SOURCE
#include "posix/addresses.h"
#include "posix/plain.h"
#include "posix/single_activity.h"
#include "posix/replacements/streams.h"
#include "posix/children.h"
#include "posix/command.h"
#include <stdlib.h>

/* Waits until something may have changed. 0, or -1 with errno. `which`: the caller's options, of which those that say
 * which children count have to hold for the look, too, or it would never wait for a child that it does not see. But
 * the children are this thread's, and not the pool's (__WNOTHREAD). __WALL is how tracers wait: a traced child tells
 * its stops to every wait, but not to its descriptor. */
static int await_child(idtype_t type, id_t id, int changes, int which) {
  int options = changes | (which & (int)(__WALL | __WCLONE));
  if (type == P_PID && !(options & (WSTOPPED | WCONTINUED | __WALL))) {
    int saved = errno, slot = ch_pidfd((pid_t)id);
    if (slot >= 0) {
      int r = await_slot(slot, CH_FOREVER);
      ch_close_waited_for(slot);
      return r < 0 ? (errno = -r, -1) : 0;
    }
    errno = saved;
  }
  struct ch_child_wait w = {type, id, options};
  return ch_do_call(ch_child_changes, &w, CH_CALL_INTERRUPTIBLE) < 0 ? -1 : 0;
}

static pid_t wait_for(pid_t pid, int *status, int options, struct rusage *usage) {
  if (ch_is_refused(!(options & WNOHANG)))
    return -1;
  for (;;) {
    pid_t r = ch_plain_wait4(pid, status, options | WNOHANG, usage);
    if (r != 0 || options & WNOHANG)
      return r;
    idtype_t type = pid > 0 ? P_PID : pid == -1 ? P_ALL : P_PGID;
    id_t id = (id_t)(pid > 0 ? pid : pid < -1 ? -pid : 0);
    int changes = WEXITED | (options & WUNTRACED ? WSTOPPED : 0) | (options & WCONTINUED);
    if (await_child(type, id, changes, options) < 0)
      return -1;
  }
}

CH_REPLACES(wait4) pid_t ch_posix_wait4(pid_t pid, int *status, int options, struct rusage *usage) {
  CH_SINGLE_ACTIVITY(wait4(pid, status, options, usage));
  return wait_for(pid, status, options, usage);
}
CH_REPLACES(wait3) pid_t ch_posix_wait3(int *status, int options, struct rusage *usage) {
  CH_SINGLE_ACTIVITY(wait3(status, options, usage));
  return wait_for(-1, status, options, usage);
}
CH_REPLACES(waitpid) pid_t ch_posix_waitpid(pid_t pid, int *status, int options) {
  CH_SINGLE_ACTIVITY(waitpid(pid, status, options));
  return wait_for(pid, status, options, NULL);
}
CH_REPLACES(wait) pid_t ch_posix_wait(int *status) {
  CH_SINGLE_ACTIVITY(wait(status));
  return wait_for(-1, status, 0, NULL);
}

CH_REPLACES(waitid) int ch_posix_waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
  CH_SINGLE_ACTIVITY(waitid(type, id, info, options));
  siginfo_t own;
  if (ch_is_refused(!(options & WNOHANG)))
    return -1;
  if (!info)
    info = &own;
  /* The kernel stores also that it has found none. Where it surely cannot store that, it is asked only when there is a
   * child, whose status is then taken, or an error. */
  bool asks = !ch_is_nowhere(info) || options & WNOHANG;
  for (;;) {
    if (!asks)
      asks = ch_plain_waitid(type, id, &own, options | WNOHANG | WNOWAIT) < 0 || own.si_pid != 0;
    if (asks) {
      int r = ch_plain_waitid(type, id, info, options | WNOHANG);
      if (r != 0 || info->si_pid != 0 || options & WNOHANG)
        return r;
    }
    if (type == P_PIDFD && ch_is_nonblocking((int)id))
      return errno = EAGAIN, -1;
    if (await_child(type, id, options & (WEXITED | WSTOPPED | WCONTINUED), options) < 0)
      return -1;
  }
}

/* Waits for a process of its own until it ends, whatever is cancelled meanwhile. */
CH_REPLACES(system) int ch_posix_system(const char *line) {
  CH_SINGLE_ACTIVITY(system(line));
  if (ch_cancelled())
    return errno = ECANCELED, -1;
  int status = 127 << 8;
  struct ch_command *command = ch_command_start(line ? line : "exit 0");
  if (command) {
    struct ch_scope barrier;
    pid_t taken;
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "system");
    while ((taken = wait_for(command->process, &status, 0, NULL)) < 0 && errno == EINTR) {
    }
    ch_scope_leave(&barrier);
    status = ch_command_ended(command, taken, status);
  }
  return line ? status : status == 0;
}

/* What it has to write out is written here: the signal of a broken pipe is the writer's. */
CH_REPLACES(pclose) int ch_posix_pclose(FILE *f) {
  int saved = errno;
  CH_SINGLE_ACTIVITY(pclose(f));
  if (!hold(f)) {
    write_out(f);
    ch_stream_unhold(f);
    errno = saved;
  }
  return close_command(f);
}
