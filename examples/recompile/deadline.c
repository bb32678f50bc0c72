/* A deadline around libraries that know of none: the server answers half of the questions in time, and the other half
 * would take for ever and is given up. The libraries see a call that failed with ECANCELED, and report that. */
#include "many.h"

#include <charcoal.h>
#include <hiredis.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECONDS(n) ((n) * INT64_C(1000000))

static int postgres_port;

/* What is answered has all the time that a busy server may need. */
static int64_t deadline(int i) { return MILLISECONDS(i % 2 ? 3000 : 600000); }

/* A value for number i, if it comes in time. */
static int ask_redis(redisContext *redis, int i) {
  redisReply *reply = NULL;
  within (deadline(i)) do {
    reply = redisCommand(redis, i % 2 ? "BLPOP never:%d 0" : "ECHO %d", i);
  } finish;
  int came = reply && reply->type == REDIS_REPLY_STRING && atoi(reply->str) == i;
  freeReplyObject(reply);
  return came;
}

static int ask_postgres(PGconn *db, int i) {
  char question[100];
  PGresult *result = NULL;
  snprintf(question, sizeof question, "SELECT %d, pg_sleep(%d)", i, i % 2 ? 1000 : 0);
  within (deadline(i)) do {
    result = PQexec(db, question);
  } finish;
  int came = PQresultStatus(result) == PGRES_TUPLES_OK && atoi(PQgetvalue(result, 0, 0)) == i;
  PQclear(result);
  return came;
}

static int one(const struct many *what, int i) {
  char where[200];
  redisContext *redis = redisConnect("127.0.0.1", what->port);
  snprintf(where, sizeof where, "host=127.0.0.1 port=%d user=postgres dbname=postgres", postgres_port);
  PGconn *db = PQconnectdb(where);
  int right = 0;
  if (!redis || redis->err || PQstatus(db) != CONNECTION_OK) {
    wrong(i, "connect: %s", PQerrorMessage(db));
  } else {
    int in_time = i % 2 == 0, from_redis = ask_redis(redis, i), from_postgres = ask_postgres(db, i);
    right = from_redis == in_time && from_postgres == in_time;
    if (!right)
      wrong(i, "%s, %s: %s, %s", from_redis ? "came" : "did not come", from_postgres ? "came" : "did not come",
            redis->errstr, PQerrorMessage(db));
    else if (!in_time && (!strstr(redis->errstr, "cancel") || !strstr(PQerrorMessage(db), "cancel")))
      right = wrong(i, "redis says '%s', PostgreSQL '%s'", redis->errstr, PQerrorMessage(db));
  }
  redisFree(redis);
  PQfinish(db);
  return right;
}

int main(int argc, char **argv) {
  const char *port = getenv("POSTGRES_PORT");
  struct many what = many_arguments(argc, argv);
  postgres_port = port ? atoi(port) : 5432;
  return many(&what, one);
}
