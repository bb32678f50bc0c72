/* libpq against PostgreSQL: each activity has a connection of its own, waits 50 ms at the server in pg_sleep, has
 * arithmetic and a long text computed there, and puts a row into a table. At the end the rows of the table are counted.
 */
#include "many.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PGconn *connect_to(const struct many *what) {
  char where[200];
  snprintf(where, sizeof where, "host=127.0.0.1 port=%d user=postgres dbname=postgres", what->port);
  return PQconnectdb(where);
}

static int is_done(PGresult *result) {
  int right = PQresultStatus(result) == PGRES_COMMAND_OK;
  PQclear(result);
  return right;
}

static int talk(PGconn *db, int i) {
  char number[20], product[40];
  const char *values[] = {number};
  snprintf(number, sizeof number, "%d", i);
  snprintf(product, sizeof product, "%lld", 7919LL * i + 1);
  PGresult *result = PQexecParams(db, "SELECT pg_sleep(0.05), 7919 * $1::bigint + 1, repeat('x', 1000 + $1::int)", 1,
                                  NULL, values, NULL, NULL, 0);
  int right = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1 &&
              strcmp(PQgetvalue(result, 0, 1), product) == 0 && PQgetlength(result, 0, 2) == 1000 + i &&
              strspn(PQgetvalue(result, 0, 2), "x") == (size_t)(1000 + i);
  PQclear(result);
  if (!right)
    return wrong(i, "SELECT: %s", PQerrorMessage(db));
  if (!is_done(PQexecParams(db, "INSERT INTO done VALUES ($1::int)", 1, NULL, values, NULL, NULL, 0)))
    return wrong(i, "INSERT: %s", PQerrorMessage(db));
  return 1;
}

static int one(const struct many *what, int i) {
  PGconn *db = connect_to(what);
  int right = PQstatus(db) == CONNECTION_OK ? talk(db, i) : wrong(i, "connect: %s", PQerrorMessage(db));
  PQfinish(db);
  return right;
}

/* Whether each number from 0 to n - 1 is in the table, once. */
static int counted(PGconn *db, int n) {
  char want[100];
  snprintf(want, sizeof want, "%d %lld", n, (long long)n * (n - 1) / 2);
  PGresult *result = PQexec(db, "SELECT count(DISTINCT i) || ' ' || sum(i) FROM done");
  int right = PQresultStatus(result) == PGRES_TUPLES_OK && strcmp(PQgetvalue(result, 0, 0), want) == 0;
  if (!right)
    wrong(n, "the table is not as it should be: %s", PQerrorMessage(db));
  PQclear(result);
  return right;
}

int main(int argc, char **argv) {
  struct many what = many_arguments(argc, argv);
  PGconn *db = connect_to(&what);
  PQclear(PQexec(db, "SET client_min_messages = error"));
  PQclear(PQexec(db, "DROP TABLE IF EXISTS done"));
  if (!is_done(PQexec(db, "CREATE UNLOGGED TABLE done (i int)"))) {
    fprintf(stderr, "%s: %s", argv[0], PQerrorMessage(db));
    return 2;
  }
  int status = many(&what, one);
  if (!counted(db, what.n))
    status = 1;
  PQfinish(db);
  return status;
}
