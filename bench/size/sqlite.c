/* A program that contains all of SQLite, which shows what the linker can drop; it prints the answers to a few queries.
 */
#include "sqlite3.h"
#include <stdio.h>

static int print_row(void *unused, int columns, char **values, char **names) {
  (void)unused, (void)names;
  for (int i = 0; i < columns; i++)
    printf("%s%c", values[i] ? values[i] : "NULL", i + 1 < columns ? '|' : '\n');
  return 0;
}

int main(void) {
  sqlite3 *db;
  char *error = NULL;
  int result = sqlite3_open(":memory:", &db);
  if (result == SQLITE_OK)
    result = sqlite3_exec(
        db,
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, value REAL);"
        "CREATE INDEX by_value ON t(value);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        "  INSERT INTO t SELECT i, 'name' || (i * 7919 % 20011), i * 31 % 1009 / 8.0 FROM n;"
        "SELECT count(*), sum(value), min(name), max(name) FROM t;"
        "SELECT substr(name, 1, 5) AS p, count(*) FROM t GROUP BY p ORDER BY p;"
        "SELECT a.name, b.name FROM t a JOIN t b ON a.id = b.id * 2 WHERE b.value > 126 ORDER BY a.name LIMIT 5;"
        "DELETE FROM t WHERE id % 3 = 0; UPDATE t SET name = upper(name) WHERE value < 10;"
        "SELECT count(*), sum(length(name)), group_concat(DISTINCT typeof(value)) FROM t;"
        "SELECT json_extract('{\"a\": [1, 2, 3]}', '$.a[1]'), printf('%.3f', avg(value)) FROM t;"
        "PRAGMA integrity_check;",
        print_row, NULL, &error);
  if (result != SQLITE_OK)
    fprintf(stderr, "SQLite: %s\n", error ? error : sqlite3_errstr(result));
  sqlite3_close(db);
  return result != SQLITE_OK;
}
