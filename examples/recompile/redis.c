/* hiredis against redis: each activity has a connection of its own, stores and fetches, and then waits 50 ms at the
 * server, in BLPOP on a list that stays empty. */
#include "many.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

/* Whether the reply is there and as wanted; frees it. */
static int is_text(redisReply *reply, const char *text) {
  int right = reply && (reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS) &&
              strcmp(reply->str, text) == 0;
  freeReplyObject(reply);
  return right;
}

static int is_nil(redisReply *reply) {
  int right = reply && reply->type == REDIS_REPLY_NIL;
  freeReplyObject(reply);
  return right;
}

static int talk(redisContext *redis, int i) {
  char value[3000];
  snprintf(value, sizeof value, "%0*d", 10 + i % 2900, i);
  if (!is_text(redisCommand(redis, "SET key:%d %s", i, value), "OK"))
    return wrong(i, "SET: %s", redis->errstr);
  if (!is_nil(redisCommand(redis, "BLPOP never:%d 0.05", i)))
    return wrong(i, "BLPOP: %s", redis->errstr);
  if (!is_text(redisCommand(redis, "GET key:%d", i), value))
    return wrong(i, "GET: not what was set; %s", redis->errstr);
  /* Several commands on the way at once: the replies come in their order. */
  for (int k = 0; k < 10; k++)
    redisAppendCommand(redis, "ECHO %d.%d", i, k);
  for (int k = 0; k < 10; k++) {
    void *reply = NULL;
    snprintf(value, sizeof value, "%d.%d", i, k);
    if (redisGetReply(redis, &reply) != REDIS_OK || !is_text(reply, value))
      return wrong(i, "ECHO %d: %s", k, redis->errstr);
  }
  return 1;
}

static int one(const struct many *what, int i) {
  redisContext *redis = redisConnect("127.0.0.1", what->port);
  if (!redis || redis->err) {
    wrong(i, "connect: %s", redis ? redis->errstr : "no memory");
    if (redis)
      redisFree(redis);
    return 0;
  }
  int right = talk(redis, i);
  redisFree(redis);
  return right;
}

int main(int argc, char **argv) {
  struct many what = many_arguments(argc, argv);
  return many(&what, one);
}
