// See run.h.
#include "run.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace charcoal::driver {

static std::vector<char *> pointers(const std::vector<std::string> &command) {
  std::vector<char *> result;
  for (const std::string &argument : command)
    result.push_back(const_cast<char *>(argument.c_str()));
  result.push_back(nullptr);
  return result;
}

int become(const std::vector<std::string> &command) {
  execv(command[0].c_str(), pointers(command).data());
  std::fprintf(stderr, "charcoal-cc: error: cannot run clang '%s': %s; install it, or name another in CHARCOAL_CLANG\n",
               command[0].c_str(), std::strerror(errno));
  return 1;
}

static volatile pid_t child;
static volatile pid_t target; // what signals go to: the child, or minus its process group
static volatile sig_atomic_t received;

static void passOn(int signal) {
  received = signal;
  if (child > 0)
    kill(target, signal);
}

// SIGKILL cannot be passed on. So there is a process in clang's group that outlives this one, and then ends the group.
static pid_t watchOver(pid_t group) {
  const pid_t parent = getpid();
  const pid_t watchman = fork();
  if (watchman != 0)
    return watchman;
  setpgid(0, group);
  close_range(0, ~0U, 0); // whoever reads our output waits for its end
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGUSR1);
  sigprocmask(SIG_BLOCK, &ours, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  int signal;
  if (getppid() == parent)
    sigwait(&ours, &signal);
  kill(0, SIGKILL);
  _exit(0);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// What a file looked like, to tell later whether it has been touched.
struct Snapshot {
  explicit Snapshot(const std::string &path) : exists(stat(path.c_str(), &status) == 0) {}
  bool same(const Snapshot &other) const {
    return exists == other.exists &&
           (!exists || (status.st_ino == other.status.st_ino && status.st_size == other.status.st_size &&
                        status.st_mtim.tv_sec == other.status.st_mtim.tv_sec &&
                        status.st_mtim.tv_nsec == other.status.st_mtim.tv_nsec));
  }
  bool isFile() const { return exists && S_ISREG(status.st_mode); }
  struct stat status{};
  bool exists;
};

// Makes a folder for clang's temporary files, and names it in TMPDIR. Returns "" if that is impossible, after an error
// message.
static std::string makeFolder() {
  const char *given = std::getenv("TMPDIR");
  const std::string base = given && *given ? given : "/tmp";
  std::string folder = base + "/charcoal-XXXXXX";
  if (!mkdtemp(folder.data())) {
    std::fprintf(stderr,
                 "charcoal-cc: error: cannot make a folder for temporary files in '%s': %s; name another in TMPDIR\n",
                 base.c_str(), std::strerror(errno));
    return {};
  }
  setenv("TMPDIR", folder.c_str(), 1);
  return folder;
}

static void removeFolder(const std::string &folder) {
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".sh") // files of a crash report, which clang has just asked the user to send
      return;
  std::filesystem::remove_all(folder, ignored);
}

// Sets `child`, and what passes signals on to it. Returns the process that watches over it, or -1.
static pid_t start(const std::vector<std::string> &command) {
  struct sigaction action{};
  action.sa_handler = passOn;
  sigset_t all, old;
  sigemptyset(&all);
  for (int signal : signals)
    sigaddset(&all, signal);
  sigprocmask(SIG_BLOCK, &all, &old);
  const bool ownGroup = !isatty(0); // in the background a read from the terminal would stop clang
  child = fork();
  if (child == 0) {
    if (ownGroup)
      setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &old, nullptr);
    _exit(become(command));
  }
  if (child < 0)
    std::fprintf(stderr, "charcoal-cc: error: cannot start clang, for the system makes no process: %s\n",
                 std::strerror(errno));
  target = ownGroup ? -child : child;
  pid_t watchman = -1;
  if (child > 0 && ownGroup) {
    setpgid(child, child);
    watchman = watchOver(child);
  }
  for (int signal : signals) {
    struct sigaction was{};
    sigaction(signal, nullptr, &was);
    if (was.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &old, nullptr);
  return watchman;
}

// Ends the processes that clang has left running: those of its group, if it has one of its own, and those that have
// become children of this process.
static void endTheRest() {
  if (target < 0)
    kill(target, SIGTERM);
  std::ifstream children("/proc/thread-self/children");
  for (pid_t left; children >> left;)
    kill(left, SIGTERM);
}

// Waits for clang, and then for what it left running. Returns clang's status.
static int waitForAll(pid_t watchman) {
  bool ending = false;
  for (int status = 0;;) {
    int one;
    const pid_t ended = wait(&one);
    if (ended < 0 && errno != EINTR)
      return status;
    if (ended == child) {
      status = one;
      if (watchman > 0)
        kill(watchman, SIGKILL);
      ending = received || WIFSIGNALED(status);
    }
    if (ended > 0 && ending) // a process that has ended may have left children, too
      endTheRest();
  }
}

int runGuarded(const std::vector<std::string> &command, const std::string &output, const std::string &responseFile) {
  const std::string folder = makeFolder();
  if (folder.empty())
    return 1;
  std::vector<std::string> full = command;
  if (!responseFile.empty()) {
    std::ofstream(folder + "/arguments") << responseFile;
    full.push_back("@" + folder + "/arguments");
  }

  prctl(PR_SET_CHILD_SUBREAPER, 1); // a linker that outlives clang becomes a child of this process, which waits for it
  const Snapshot before(output);
  const pid_t watchman = start(full);
  const int status = child < 0 ? 1 << 8 : waitForAll(watchman);
  removeFolder(folder);

  const int signal = received ? int(received) : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (!signal)
    return WEXITSTATUS(status);
  const Snapshot after(output);
  if (after.isFile() && !after.same(before))
    unlink(output.c_str());
  ::signal(signal, SIG_DFL);
  raise(signal);
  return 128 + signal;
}

} // namespace charcoal::driver
