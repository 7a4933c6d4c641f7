/* Calls the parser of replies with random and with changed replies. Built with sanitizers by tests/warm-path. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "reply.h"

static uint64_t state;

static uint32_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

static void put(unsigned char *to, size_t number) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(number >> (24 - 8 * i));
}

int main(int argc, char **argv) {
  state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 100000;
  static const char token[] = "0123456789abcdef0123456789abcdef";
  long complete = 0;
  for (long round = 0; round < rounds; round++) {
    size_t working = next() % 4, out = next() % 50, err = next() % 50;
    size_t length = working + REPLY_HEADER + out + err + 1;
    /* Exactly as large as the reply, so that each read behind it is found. */
    unsigned char *bytes = malloc(length);
    for (size_t i = 0; i < length; i++) bytes[i] = (unsigned char)next();
    memset(bytes, 'w', working);
    unsigned char *reply = bytes + working;
    reply[0] = 'r';
    put(reply + 1, next() % 3);
    put(reply + 5, out);
    put(reply + 9, err);
    memcpy(reply + 13, token, TOKEN_BYTES);
    bytes[length - 1] = 'e';
    int is_whole = 1;
    if (next() % 2) {
      size_t at = next() % length;
      unsigned char before = bytes[at];
      bytes[at] = (unsigned char)next();
      int is_text = at >= working + REPLY_HEADER && at < length - 1;
      is_whole = is_text || bytes[at] == before || at < working;
    }
    size_t given = next() % 3 ? length : next() % (length + 1);
    unsigned char *exact = malloc(given ? given : 1);
    memcpy(exact, bytes, given);
    struct reply parsed;
    enum reply_state result = read_reply(exact, given, token, &parsed);
    if (result == REPLY_COMPLETE) {
      complete++;
      unsigned sum = (unsigned)parsed.exit_code;
      for (size_t i = 0; i < parsed.stdout_length; i++) sum += parsed.stdout_bytes[i];
      for (size_t i = 0; i < parsed.stderr_length; i++) sum += parsed.stderr_bytes[i];
      if (given != length || sum == UINT32_MAX) {
        fprintf(stderr, "round %ld: a part of a reply was complete\n", round);
        return 1;
      }
    } else if (is_whole && given == length && result != REPLY_BROKEN && result != REPLY_DECLINED) {
      fprintf(stderr, "round %ld: a complete reply was not\n", round);
      return 1;
    }
    free(exact);
    free(bytes);
  }
  printf("%ld of %ld complete\n", complete, rounds);
  return complete > rounds / 10 ? 0 : 1;
}
