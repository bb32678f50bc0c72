-- A long script whose answers do not depend on the machine.
.mode list
CREATE TABLE n(i INTEGER PRIMARY KEY, sq INT, txt TEXT, r REAL);
WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM
  c WHERE x<500) INSERT INTO n SELECT x, x*x, printf('%04d-%s', x, substr('abcdefghijklmnopqrstuvwxyz', 1 + x % 26,
  3)), x / 7.0 FROM c;
SELECT count(*), sum(sq), max(txt), round(avg(r), 6), total(i), group_concat(i) FILTER (WHERE i % 100 = 0) FROM n;
CREATE INDEX n_txt ON n(txt);
CREATE INDEX n_expr ON n(sq % 17, i DESC) WHERE i > 10;
EXPLAIN QUERY PLAN SELECT * FROM n WHERE txt > '0400' ORDER BY txt;
SELECT txt FROM n WHERE txt LIKE '01%b%' ORDER BY txt DESC LIMIT 5 OFFSET 2;
SELECT sq % 17 AS m, count(*), min(i), max(i) FROM n GROUP BY m HAVING count(*) > 29 ORDER BY m;
SELECT a.i, b.i FROM n a JOIN n b ON a.sq + b.sq = 625 WHERE a.i < b.i;
SELECT i, sum(i) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), rank() OVER (ORDER BY i % 3),
  ntile(4) OVER (ORDER BY i), lag(txt, 1, '-') OVER (ORDER BY i) FROM n WHERE i <= 8 ORDER BY i;
WITH RECURSIVE fib(a, b, k) AS (SELECT 0, 1, 0 UNION ALL SELECT b, a + b, k + 1 FROM
  fib WHERE k < 60) SELECT max(a) FROM fib;
WITH RECURSIVE xaxis(x) AS (VALUES(-2.0) UNION ALL SELECT x+0.1 FROM xaxis WHERE x<1.0),
  yaxis(y) AS (VALUES(-1.0) UNION ALL SELECT y+0.2 FROM yaxis WHERE y<1.0),
  m(iter, cx, cy, x, y) AS (SELECT 0, x, y, 0.0, 0.0 FROM
  xaxis, yaxis UNION ALL SELECT iter+1, cx, cy, x*x-y*y + cx, 2.0*x*y + cy FROM
  m WHERE (x*x + y*y) < 4.0 AND iter<18), m2(iter, cx, cy) AS (SELECT max(iter), cx, cy FROM m GROUP BY cx, cy),
  a(t) AS (SELECT group_concat(substr(' .+*#', 1+min(iter/4,4), 1),
  '') FROM m2 GROUP BY cy) SELECT group_concat(rtrim(t),x'0a') FROM a;
BEGIN;
UPDATE n SET r = r * 2 WHERE i % 2;
DELETE FROM n WHERE i BETWEEN 100 AND 120;
SAVEPOINT s;
DELETE FROM n;
SELECT count(*) FROM n;
ROLLBACK TO s;
SELECT count(*), round(sum(r), 4) FROM n;
COMMIT;
BEGIN;
DROP TABLE n;
ROLLBACK;
SELECT count(*) FROM n;
CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL CHECK (length(name) > 2));
CREATE TABLE k(id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE, v);
PRAGMA foreign_keys = ON;
INSERT INTO p(name) VALUES ('alpha'), ('beta'), ('gamma');
INSERT INTO k(p, v) SELECT 1 + i % 3, i FROM n LIMIT 30;
INSERT INTO p(name) VALUES ('alpha');
INSERT INTO p(name) VALUES ('x');
INSERT INTO k(p, v) VALUES (99, 1);
DELETE FROM p WHERE name = 'beta';
SELECT p, count(*), sum(v) FROM k GROUP BY p;
INSERT INTO p(name) VALUES ('alpha') ON CONFLICT(name) DO UPDATE SET name = excluded.name || '2' RETURNING id, name;
REPLACE INTO p VALUES (3, 'delta');
SELECT * FROM p;
CREATE TABLE audit(what, old, new);
CREATE TRIGGER t1 AFTER UPDATE OF v ON k WHEN old.v <> new.v BEGIN INSERT INTO audit VALUES ('k', old.v, new.v);
END;
CREATE TRIGGER t2 INSTEAD OF INSERT ON vw BEGIN SELECT 1;
END;
CREATE VIEW vw AS SELECT p.name, k.v FROM p JOIN k ON k.p = p.id;
CREATE TRIGGER t3 INSTEAD OF INSERT ON vw BEGIN INSERT INTO p(name) VALUES (new.name);
END;
UPDATE k SET v = v + 1 WHERE id % 4 = 0;
INSERT INTO vw VALUES ('epsilon', 1);
SELECT count(*), sum(new - old) FROM audit;
SELECT name FROM p ORDER BY name;
SELECT typeof(1), typeof(1.5), typeof('x'), typeof(x'00'), typeof(null),
  7/2, -7/2, -7%3, 7.0/2, 1 || 2, 'a' < 'B', 'a' < 'B' COLLATE NOCASE, null IS null, 5 BETWEEN 1 AND 9, 3 IN (1,2,3),
  CASE 4 WHEN 4 THEN 'four' ELSE '?' END, coalesce(null, 2), nullif(1,1), iif(0,'y','n'), abs(-3), hex('abc'),
  quote('it''s'), unicode('€'), char(65,66), instr('hello','l'), replace('aXb','X','-'), trim('  x '), upper('abc'),
  round(2.567,2), substr('hello',-3,2), cast('12abc' AS INT),
  1e300*1e10, 9223372036854775807 + 0, length(zeroblob(10)), glob('a*c','abc'), likely(1),
  printf('%08.3f|%-6s|%+d|%x', 3.14159, 'ab', 5, 255);
SELECT date('2024-02-28', '+2 days'), strftime('%j %W %w', '2023-12-31'), julianday('2000-01-01 12:00:00'),
  datetime(86400 * 365.25 * 30, 'unixepoch'), time('12:00', '-90 minutes');
SELECT json_extract('{"a":[1,2,{"b":"c"}]}', '$.a[2].b'), json_array(1,'x',null),
  json_group_array(i) FROM (SELECT i FROM n LIMIT 5);
SELECT key, value, type FROM json_each('{"x":1,"y":[2,3],"z":null}');
SELECT json_set('{"a":1}', '$.b', json('[1,2]')), json_patch('{"a":1,"b":2}', '{"b":null,"c":3}'), json_valid('{x}');
SELECT group_concat(v, ' ') FROM (SELECT i AS v FROM n WHERE i < 5 UNION SELECT i * 2 FROM
  n WHERE i < 5 EXCEPT SELECT 4 INTERSECT SELECT 4 ORDER BY 1);
SELECT (SELECT count(*) FROM n b WHERE b.i < a.i AND b.sq % 5 = a.sq % 5) FROM n a WHERE a.i % 50 = 0;
SELECT EXISTS (SELECT 1 FROM n WHERE i = 110), NOT EXISTS (SELECT 1 FROM n WHERE i = 50);
CREATE TABLE w(a, b, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT INTO w SELECT i % 10, i, txt FROM n WHERE i < 60;
SELECT a, max(b), c FROM w GROUP BY a ORDER BY a LIMIT 4;
CREATE TABLE gen(x, y AS (x * 2) STORED, z AS (y + 1));
INSERT INTO gen(x) VALUES (5), (6);
SELECT * FROM gen;
ALTER TABLE gen RENAME COLUMN x TO xx;
ALTER TABLE gen ADD COLUMN extra DEFAULT 'd';
SELECT xx, extra FROM gen;
ALTER TABLE gen DROP COLUMN extra;
CREATE VIRTUAL TABLE rt USING rtree(id, x0, x1, y0, y1);
SELECT 'no rtree';
CREATE TABLE big(b BLOB);
INSERT INTO big SELECT zeroblob(5000 + i * 10) FROM n WHERE i < 40;
SELECT sum(length(b)) FROM big;
UPDATE big SET b = cast('x' AS BLOB) || b;
SELECT count(*), sum(length(b)), hex(substr(b, 1, 2)) FROM big;
VACUUM;
PRAGMA integrity_check;
ANALYZE;
SELECT count(*) > 0 FROM sqlite_stat1;
REINDEX;
PRAGMA page_count;
SELECT nothing FROM n;
SELECT * FROM nowhere;
SELEC 1;
INSERT INTO n VALUES (1, 2, 3);
SELECT max(i), min(i) FROM n ORDER BY 1;
ATTACH ':memory:' AS other;
CREATE TABLE other.n2 AS SELECT * FROM main.n WHERE i < 10;
SELECT count(*), sum(sq) FROM other.n2;
DETACH other;
.tables
SELECT sum(a.i * b.i % 7) FROM n a, n b WHERE a.i < 40 AND b.i < 40;
SELECT count(DISTINCT substr(txt, 6)) FROM n;
SELECT txt FROM n ORDER BY substr(txt, 6), i DESC LIMIT 6;
SELECT total_changes() > 0, changes();
.dump p
