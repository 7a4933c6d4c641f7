/*
 * The program that agents start instead of Node: it sends one call of `holdfast bridge` to the daemon and passes on the
 * response. The arguments are the call that it replaces:
 *
 *     holdfast-client holdfast bridge claude-code --event PreToolUse
 *
 * Whatever goes wrong before a complete response is there, it executes that call, with the same stdin. It never invents a
 * response: if the call cannot be executed either, it exits with 1, which entries of gates turn into a block.
 * packages/cli/src/daemon/protocol.ts describes the messages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "reply.h"

/* Where it is missing, the ignored SIGPIPE is enough. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

extern char **environ;

enum {
  LARGEST_STDIN = 64 * 1024 * 1024,
  LARGEST_HEADER = 4 * 1024 * 1024,
  /* The daemon sends a byte each second, and a busy one may accept a call late. */
  ACCEPT_MS = 4000,
  STALL_MS = 5000,
  /* After the limit of the call, for hooks that are being ended. */
  GRACE_MS = 8000,
  DEFAULT_LIMIT_S = 590,
};

struct buffer {
  unsigned char *bytes;
  size_t length, room;
};

static volatile sig_atomic_t ended_by = 0;
static char token[TOKEN_BYTES + 1];
static int64_t began_ms;
static void (*sigpipe_before)(int) = SIG_DFL;

static void on_signal(int number) { ended_by = number; }

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int elapsed_ms(void) {
  int64_t ms = now_ms() - began_ms;
  return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* 0 if there is no memory. */
static int reserve(struct buffer *to, size_t more) {
  if (more > SIZE_MAX / 2 - to->length) return 0;
  size_t needed = to->length + more;
  if (needed <= to->room) return 1;
  size_t room = to->room < 4096 ? 4096 : to->room;
  while (room < needed) room *= 2;
  unsigned char *bytes = realloc(to->bytes, room);
  if (!bytes) return 0;
  to->bytes = bytes;
  to->room = room;
  return 1;
}

static int append(struct buffer *to, const void *bytes, size_t length) {
  if (!reserve(to, length)) return 0;
  memcpy(to->bytes + to->length, bytes, length);
  to->length += length;
  return 1;
}

/* With its zero byte. */
static int append_text(struct buffer *to, const char *text) { return append(to, text, strlen(text) + 1); }

static void say(const char *text) {
  ssize_t ignored = write(2, text, strlen(text));
  (void)ignored;
}

/* ---- the call that this program replaces ---- */

static int write_all(int fd, const unsigned char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EAGAIN) {
      struct pollfd one = {.fd = fd, .events = POLLOUT};
      poll(&one, 1, -1);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return 0;
    bytes += written;
    length -= (size_t)written;
  }
  return 1;
}

/* A file without a name that holds what was read from stdin. */
static int open_nameless(const struct buffer *input) {
  int fd = -1;
#ifdef __linux__
  fd = memfd_create("holdfast", MFD_CLOEXEC);
#endif
  if (fd < 0) {
    FILE *file = tmpfile();
    if (file) fd = dup(fileno(file));
  }
  if (fd < 0) return -1;
  if (write_all(fd, input->bytes, input->length) && lseek(fd, 0, SEEK_SET) == 0) return fd;
  close(fd);
  return -1;
}

/* Does not return. `starts`: no daemon answers, so the call should start one. */
static void execute(char **argv, int argc, const struct buffer *input, int starts) {
  char used[32];
  char **words = calloc((size_t)argc + 4, sizeof *words);
  if (words) {
    int count = 0;
    for (int i = 1; i < argc; i++) words[count++] = argv[i];
    snprintf(used, sizeof used, "--used-ms=%d", elapsed_ms());
    words[count++] = used;
    if (starts) words[count++] = "--start-daemon";
    int fd = input ? open_nameless(input) : 0;
    if (fd >= 0 && (fd == 0 || dup2(fd, 0) == 0)) {
      signal(SIGPIPE, sigpipe_before);
      execvp(words[0], words);
    }
  }
  say("holdfast: The daemon did not respond, and ");
  say(argv[1]);
  say(" could not be started: ");
  say(strerror(errno));
  say(". Reinstall Holdfast, then run: holdfast doctor\n");
  _exit(errno == ENOENT ? 127 : 1);
}

static int limit_ms(char **argv, int argc) {
  for (int i = 1; i < argc; i++) {
    const char *text = NULL;
    if (strncmp(argv[i], "--limit=", 8) == 0) text = argv[i] + 8;
    else if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc) text = argv[i + 1];
    if (!text) continue;
    double seconds = strtod(text, NULL);
    /* Node reports a wrong value. */
    return seconds > 0 && seconds <= DEFAULT_LIMIT_S ? (int)(seconds * 1000) : 0;
  }
  return DEFAULT_LIMIT_S * 1000;
}

/*
 * Reads stdin to its end. 0 if it is too large or cannot be read: the call then gets what was read, and blocks. The rest
 * of what is too large is read and not kept, so that the agent can write it.
 */
static int read_input(struct buffer *input, int limit) {
  for (;;) {
    if (ended_by) _exit(128 + ended_by);
    struct pollfd one = {.fd = 0, .events = POLLIN};
    int left = limit - elapsed_ms();
    if (left <= 0) {
      say("holdfast bridge: Blocked, because the bridge failed: stdin did not end in time.\n");
      _exit(2);
    }
    int ready = poll(&one, 1, left);
    if (ready <= 0) continue;
    int is_too_large = input->length > LARGEST_STDIN;
    static unsigned char rest[65536];
    if (!is_too_large && !reserve(input, sizeof rest)) return 0;
    ssize_t count = read(0, is_too_large ? rest : input->bytes + input->length, sizeof rest);
    if (count == 0) return !is_too_large;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return 0;
    if (!is_too_large) input->length += (size_t)count;
  }
}

/* ---- the request ---- */

/* The namespaces, the root and the umask: hooks started by a daemon elsewhere would see other files. */
static int append_place(struct buffer *to) {
  char text[1024] = "";
  size_t used = 0;
#ifdef __linux__
  static const char *const names[] = {"mnt", "user", "pid", "net", "ipc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[64], target[96];
    snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s ", target);
  }
#endif
  struct stat root;
  if (stat("/", &root) != 0) return 0;
  mode_t mask = umask(077);
  umask(mask);
  snprintf(text + used, sizeof text - used, "%ju:%ju %o %u", (uintmax_t)root.st_dev, (uintmax_t)root.st_ino,
           (unsigned)mask, (unsigned)getegid());
  return append_text(to, text);
}

static int make_token(void) {
  unsigned char random[TOKEN_BYTES / 2];
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t count = read(fd, random, sizeof random);
  close(fd);
  if (count != (ssize_t)sizeof random) return 0;
  for (size_t i = 0; i < sizeof random; i++) snprintf(token + 2 * i, 3, "%02x", random[i]);
  return 1;
}

static void put_length(unsigned char *to, size_t length) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(length >> (24 - 8 * i));
}

static int make_request(struct buffer *to, char **argv, int argc, const char *home, const struct buffer *input) {
  char cwd[PATH_MAX], count[16];
  if (!getcwd(cwd, sizeof cwd) || cwd[0] != '/') return 0;
  snprintf(count, sizeof count, "%d", argc - 1);
  unsigned char lengths[8] = {0};
  if (!append(to, REQUEST_MAGIC, MAGIC_BYTES) || !append(to, lengths, sizeof lengths)) return 0;
  if (!append_text(to, token) || !append_place(to) || !append_text(to, home) || !append_text(to, cwd) ||
      !append_text(to, count))
    return 0;
  for (int i = 1; i < argc; i++)
    if (!append_text(to, argv[i])) return 0;
  for (char **entry = environ; *entry; entry++)
    if (!append_text(to, *entry)) return 0;
  size_t header = to->length - MAGIC_BYTES - sizeof lengths;
  if (header > LARGEST_HEADER) return 0;
  put_length(to->bytes + MAGIC_BYTES, header);
  put_length(to->bytes + MAGIC_BYTES + 4, input->length);
  return append(to, input->bytes, input->length);
}

/* ---- the connection ---- */

static int is_own_folder(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 077) == 0;
}

static int is_own_peer(int fd) {
#ifdef __linux__
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
#else
  uid_t uid;
  gid_t gid;
  return getpeereid(fd, &uid, &gid) == 0 && uid == geteuid();
#endif
}

/* A program in a sandbox may reach the socket, but cannot create files beside it. */
static int leave_proof(const char *folder) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/call-%s", folder, token) >= (int)sizeof path) return 0;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return 0;
  close(fd);
  return 1;
}

static void remove_proof(const char *folder) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/call-%s", folder, token) < (int)sizeof path) unlink(path);
}

/* -1 if no daemon listens. */
static int connect_to(const char *folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/daemon.sock", folder);
  if (length < 0 || (size_t)length >= sizeof address.sun_path) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  /* A full queue is an error at once: the daemon does not accept. */
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && is_own_peer(fd)) return fd;
  close(fd);
  return -1;
}

/* Sends the request and reads until the reply is complete, or the daemon fails. */
static enum reply_state converse(int fd, const struct buffer *request, struct buffer *reply, struct reply *parsed,
                                 int limit) {
  size_t sent = 0;
  int64_t last_ms = now_ms();
  int is_cancelled = 0;
  enum reply_state state = REPLY_NOTHING;
  for (;;) {
    if (ended_by && !is_cancelled && sent == request->length) {
      is_cancelled = 1;
      shutdown(fd, SHUT_WR);
    }
    int64_t quiet = now_ms() - last_ms;
    int patience = state == REPLY_NOTHING ? ACCEPT_MS : STALL_MS;
    if (quiet >= patience || elapsed_ms() > limit + GRACE_MS) return REPLY_BROKEN;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (sent < request->length) one.events |= POLLOUT;
    int ready = poll(&one, 1, (int)(patience - quiet));
    if (ready <= 0) continue;
    if (one.revents & POLLOUT) {
      ssize_t count = send(fd, request->bytes + sent, request->length - sent, MSG_NOSIGNAL);
      if (count > 0) {
        sent += (size_t)count;
        last_ms = now_ms();
      } else if (count < 0 && errno != EAGAIN && errno != EINTR && !(one.revents & POLLIN))
        return REPLY_BROKEN;
    }
    if (!(one.revents & (POLLIN | POLLHUP | POLLERR))) continue;
    if (!reserve(reply, 16384)) return REPLY_BROKEN;
    ssize_t count = recv(fd, reply->bytes + reply->length, reply->room - reply->length, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return REPLY_BROKEN;
    last_ms = now_ms();
    reply->length += (size_t)count;
    state = read_reply(reply->bytes, reply->length, token, parsed);
    if (state != REPLY_NOTHING && state != REPLY_WORKING) return state;
  }
}

static int is_call(char **argv, int argc) {
  for (int i = 2; i < argc && i < 4; i++)
    if (strcmp(argv[i], "bridge") == 0) return 1;
  return 0;
}

int main(int argc, char **argv) {
  began_ms = now_ms();
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    puts("holdfast-client " REQUEST_MAGIC_TEXT);
    return 0;
  }
  if (argc < 3) {
    say("holdfast-client: Usage: holdfast-client PROGRAM bridge AGENT [OPTION]...\n");
    return 1;
  }
  int limit = limit_ms(argv, argc);
  const char *home = getenv("HOME");
  char folder[PATH_MAX];
  int fits = home && home[0] == '/' && snprintf(folder, sizeof folder, "%s/.holdfast/run", home) < (int)sizeof folder;
  if (!is_call(argv, argc) || !fits || limit == 0 || isatty(0)) execute(argv, argc, NULL, 0);
  if (!is_own_folder(folder)) execute(argv, argc, NULL, 1);

  struct sigaction action = {.sa_handler = on_signal};
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
  sigpipe_before = signal(SIGPIPE, SIG_IGN);

  int fd = connect_to(folder);
  if (fd < 0) execute(argv, argc, NULL, 1);
  struct buffer input = {0}, request = {0}, reply = {0};
  if (!read_input(&input, limit)) execute(argv, argc, &input, 0);
  struct reply parsed;
  if (!make_token() || !make_request(&request, argv, argc, home, &input)) execute(argv, argc, &input, 0);
  if (!leave_proof(folder)) execute(argv, argc, &input, 0);
  enum reply_state state = converse(fd, &request, &reply, &parsed, limit);
  close(fd);
  if (state != REPLY_COMPLETE) {
    remove_proof(folder);
    if (ended_by) return 128 + ended_by;
    if (elapsed_ms() > limit) {
      say("holdfast bridge: Blocked, because the bridge failed: it did not finish within its time limit.\n");
      return 2;
    }
    execute(argv, argc, &input, state == REPLY_BROKEN);
  }
  write_all(2, parsed.stderr_bytes, parsed.stderr_length);
  if (!write_all(1, parsed.stdout_bytes, parsed.stdout_length)) return parsed.exit_code ? parsed.exit_code : 1;
  return ended_by ? 128 + ended_by : parsed.exit_code;
}
