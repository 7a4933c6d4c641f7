/* The messages of the daemon. Free of input and output, so that the fuzzer calls it with any bytes. */
#ifndef HOLDFAST_REPLY_H
#define HOLDFAST_REPLY_H

#include <stddef.h>
#include <string.h>

#define REQUEST_MAGIC_TEXT "holdfast-1"
#define REQUEST_MAGIC "holdfast-1\n"

enum {
  MAGIC_BYTES = 11,
  TOKEN_BYTES = 32,
  LARGEST_REPLY = 80 * 1024 * 1024,
  /* r, the exit code, the lengths of stdout and stderr, the token. */
  REPLY_HEADER = 1 + 4 + 4 + 4 + TOKEN_BYTES,
};

enum reply_state { REPLY_NOTHING, REPLY_WORKING, REPLY_DECLINED, REPLY_COMPLETE, REPLY_BROKEN };

struct reply {
  int exit_code;
  const unsigned char *stdout_bytes, *stderr_bytes;
  size_t stdout_length, stderr_length;
};

static size_t number_at(const unsigned char *bytes) {
  return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | (size_t)bytes[3];
}

/* Anything but the expected bytes is broken: an odd reply must not count as a response. */
static enum reply_state read_reply(const unsigned char *bytes, size_t length, const char *token, struct reply *to) {
  size_t at = 0;
  while (at < length && bytes[at] == 'w') at++;
  if (at == length) return length == 0 ? REPLY_NOTHING : REPLY_WORKING;
  if (bytes[at] == 'd') return at + 1 == length ? REPLY_DECLINED : REPLY_BROKEN;
  if (bytes[at] != 'r') return REPLY_BROKEN;
  if (length - at < REPLY_HEADER) return REPLY_WORKING;
  const unsigned char *header = bytes + at;
  size_t code = number_at(header + 1), out = number_at(header + 5), err = number_at(header + 9);
  if (code > 255 || out > LARGEST_REPLY || err > LARGEST_REPLY) return REPLY_BROKEN;
  if (memcmp(header + 13, token, TOKEN_BYTES) != 0) return REPLY_BROKEN;
  size_t expected = REPLY_HEADER + out + err + 1;
  if (length - at < expected) return REPLY_WORKING;
  if (length - at > expected || header[expected - 1] != 'e') return REPLY_BROKEN;
  to->exit_code = (int)code;
  to->stdout_bytes = header + REPLY_HEADER;
  to->stdout_length = out;
  to->stderr_bytes = to->stdout_bytes + out;
  to->stderr_length = err;
  return REPLY_COMPLETE;
}

#endif
