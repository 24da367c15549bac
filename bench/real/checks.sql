-- checks.sql - what sqlite must answer: every check prints its name and "ok" or "FAILED". The right
-- answers are written out here. Leaves the database as it was, so that it can run twice.
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL CHECK(price >= 0),
    kind INTEGER REFERENCES kind(id));
CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE log(what TEXT, item INTEGER);
CREATE INDEX item_kind ON item(kind, price);
CREATE VIEW dear AS SELECT name, price FROM item WHERE price > 50;
CREATE TRIGGER gone AFTER DELETE ON item BEGIN INSERT INTO log VALUES('gone', old.id); END;
CREATE TRIGGER dearer AFTER UPDATE OF price ON item WHEN new.price > old.price
    BEGIN INSERT INTO log VALUES('dearer', new.id); END;
INSERT INTO kind VALUES(1, 'tool'), (2, 'food'), (3, NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    INSERT INTO item SELECT i, 'item ' || i, i * 0.75, i % 3 + 1 FROM n;

-- numbers and strings
SELECT 'integers', CASE WHEN 7 / 2 = 3 AND -7 / 2 = -3 AND 7 % -3 = 1 AND (5 & 3 | 8) = 9
    AND 1 << 40 = 1099511627776 AND 9223372036854775807 + 1 > 9e18 THEN 'ok' ELSE 'FAILED' END;
SELECT 'reals', CASE WHEN abs(0.1 + 0.2 - 0.3) < 1e-15 AND round(2.345, 2) BETWEEN 2.34 AND 2.35
    AND 1e308 * 10 > 1e308 AND 1 / 0 IS NULL THEN 'ok' ELSE 'FAILED' END;
SELECT 'texts', CASE WHEN substr('bursty', 2, 3) = 'urs' AND upper('a' || 'b') = 'AB'
    AND length('größe') = 5 AND instr('needle', 'dl') = 4 AND trim('  x ') = 'x'
    AND replace('banana', 'an', '-') = 'b--a' AND hex('Az') = '417A' THEN 'ok' ELSE 'FAILED' END;
SELECT 'format', CASE WHEN printf('%05d|%-4s|%.3f|%x|%q', 42, 'a', 2.5, 255, 'it''s')
    = '00042|a   |2.500|ff|it''''s' THEN 'ok' ELSE 'FAILED' END;
SELECT 'like and glob', CASE WHEN 'Bursty' LIKE 'b_r%' AND NOT 'bursty' GLOB 'B*'
    AND '50%' LIKE '50\%' ESCAPE '\' THEN 'ok' ELSE 'FAILED' END;
SELECT 'nulls', CASE WHEN (NULL = NULL) IS NULL AND NULL IS NULL AND coalesce(NULL, NULL, 3) = 3
    AND nullif(1, 1) IS NULL AND NOT (1 IN (2, 3)) AND (1 IN (2, NULL)) IS NULL
    THEN 'ok' ELSE 'FAILED' END;
SELECT 'casts', CASE WHEN CAST('12abc' AS INTEGER) = 12 AND CAST(3.9 AS INTEGER) = 3
    AND typeof(1.0) = 'real' AND typeof(x'00') = 'blob' AND '10' < '9' AND 10 > 9
    THEN 'ok' ELSE 'FAILED' END;
SELECT 'dates', CASE WHEN date('2024-02-28', '+1 day') = '2024-02-29'
    AND strftime('%j', '2023-12-31') = '365' AND julianday('2000-01-01') = 2451544.5
    AND time('23:59:59', '+2 seconds') = '00:00:01' THEN 'ok' ELSE 'FAILED' END;

-- queries
SELECT 'aggregates', CASE WHEN count(*) = 100 AND sum(id) = 5050 AND avg(price) = 37.875
    AND min(name) = 'item 1' AND max(name) = 'item 99' AND total(kind) = 200.0
    THEN 'ok' ELSE 'FAILED' END FROM item;
SELECT 'groups', CASE WHEN group_concat(line) = '1:33:1683,2:34:1717,3:33:1650'
    THEN 'ok' ELSE 'FAILED' END
    FROM (SELECT kind || ':' || count(*) || ':' || sum(id) AS line FROM item GROUP BY kind
          HAVING count(*) > 1 ORDER BY kind);
SELECT 'inner join', CASE WHEN count(*) = 67 AND sum(item.id) = 3400 THEN 'ok' ELSE 'FAILED' END
    FROM item JOIN kind ON kind.id = item.kind AND kind.name IS NOT NULL;
SELECT 'left join', CASE WHEN count(*) = 100 AND count(kind.name) = 67 THEN 'ok' ELSE 'FAILED' END
    FROM item LEFT JOIN kind ON kind.id = item.kind;
SELECT 'view', CASE WHEN count(*) = 34 AND min(price) = 50.25 THEN 'ok' ELSE 'FAILED' END FROM dear;
SELECT 'subqueries', CASE WHEN (SELECT name FROM item WHERE price = (SELECT max(price) FROM item))
    = 'item 100' AND EXISTS (SELECT 1 FROM item WHERE kind = 3)
    AND NOT EXISTS (SELECT 1 FROM item WHERE kind = 4) THEN 'ok' ELSE 'FAILED' END;
SELECT 'correlated', CASE WHEN count(*) = 3 THEN 'ok' ELSE 'FAILED' END FROM item AS a
    WHERE price = (SELECT max(price) FROM item AS b WHERE b.kind = a.kind);
SELECT 'compound', CASE WHEN (SELECT group_concat(x, '') FROM (SELECT 1 AS x UNION SELECT 2 UNION
    SELECT 1 EXCEPT SELECT 3 UNION ALL SELECT 2 ORDER BY 1)) = '122' AND
    (SELECT count(*) FROM (SELECT id FROM item INTERSECT SELECT id * 2 FROM item)) = 50
    THEN 'ok' ELSE 'FAILED' END;
SELECT 'order and limit', CASE WHEN group_concat(id) = '98,95,92' THEN 'ok' ELSE 'FAILED' END
    FROM (SELECT id FROM item WHERE kind = 3 ORDER BY price DESC LIMIT 3);
SELECT 'windows', CASE WHEN group_concat(line) = '1:1:1,2:2:3,3:3:6,4:4:9,5:5:12'
    THEN 'ok' ELSE 'FAILED' END
    FROM (SELECT id || ':' || row_number() OVER (ORDER BY id) || ':' ||
        sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) AS line FROM item LIMIT 5);
SELECT 'ranks', CASE WHEN group_concat(r) = '1,1,3,4' THEN 'ok' ELSE 'FAILED' END
    FROM (SELECT rank() OVER (ORDER BY v) AS r FROM (SELECT 5 AS v UNION ALL SELECT 5 UNION ALL
        SELECT 7 UNION ALL SELECT 9));
WITH RECURSIVE f(i, a, b) AS (SELECT 1, 0, 1 UNION ALL SELECT i + 1, b, a + b FROM f WHERE i < 60)
    SELECT 'recursion', CASE WHEN max(a) = 956722026041 THEN 'ok' ELSE 'FAILED' END FROM f;
SELECT 'json', CASE WHEN json_extract('{"a":[1,{"b":"c"}]}', '$.a[1].b') = 'c'
    AND json_array_length('[1,2,3]') = 3 AND (SELECT sum(value) FROM json_each('[4,5,6]')) = 15
    AND json_valid('{"a":}') = 0 THEN 'ok' ELSE 'FAILED' END;

-- changes
BEGIN;
DELETE FROM item WHERE id BETWEEN 11 AND 20;
UPDATE item SET price = price + 1 WHERE kind = 1;
UPDATE item SET price = price - 1 WHERE kind = 1;
SELECT 'delete and update', CASE WHEN (SELECT count(*) FROM item) = 90 AND
    (SELECT count(*) FROM log WHERE what = 'gone') = 10 AND
    (SELECT count(*) FROM log WHERE what = 'dearer') = 30 THEN 'ok' ELSE 'FAILED' END;
SAVEPOINT here;
DELETE FROM item;
SELECT 'all gone', CASE WHEN count(*) = 0 THEN 'ok' ELSE 'FAILED' END FROM item;
ROLLBACK TO here;
SELECT 'savepoint', CASE WHEN count(*) = 90 THEN 'ok' ELSE 'FAILED' END FROM item;
ROLLBACK;
SELECT 'rollback', CASE WHEN (SELECT count(*) FROM item) = 100 AND (SELECT count(*) FROM log) = 0
    THEN 'ok' ELSE 'FAILED' END;
INSERT OR IGNORE INTO item VALUES(1, 'twice', 1, 1), (101, 'item 5', 1, 1), (102, 'new', 1, 1);
INSERT OR REPLACE INTO item VALUES(102, 'newer', 2, 2);
INSERT INTO item VALUES(102, 'other', 9, 9) ON CONFLICT(id) DO UPDATE SET price = excluded.price;
SELECT 'conflicts', CASE WHEN count(*) = 101 AND max(id) = 102 AND
    (SELECT name || price || kind FROM item WHERE id = 102) = 'newer9.02'
    THEN 'ok' ELSE 'FAILED' END FROM item;
UPDATE OR IGNORE item SET price = -1 WHERE id = 7;
UPDATE OR IGNORE item SET name = 'item 8' WHERE id = 7;
SELECT 'constraints', CASE WHEN name = 'item 7' AND price = 5.25 THEN 'ok' ELSE 'FAILED' END
    FROM item WHERE id = 7;
ALTER TABLE item ADD COLUMN note TEXT DEFAULT 'none';
CREATE UNIQUE INDEX item_note ON item(note, id) WHERE price > 10;
UPDATE item SET note = name WHERE id % 2;
REINDEX;
ANALYZE;
SELECT 'altered', CASE WHEN count(DISTINCT note) = 51 THEN 'ok' ELSE 'FAILED' END FROM item;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO log SELECT printf('%0*d', 20 + i % 200, i * 7919 % 5000), i FROM n;
CREATE INDEX log_what ON log(what COLLATE NOCASE, item DESC);
DELETE FROM log WHERE item % 3 = 0;
SELECT 'many rows', CASE WHEN count(*) = 3334 AND sum(item) = 8336667 THEN 'ok'
    ELSE 'FAILED' END FROM log;
SELECT 'by index', CASE WHEN count(*) = 1 THEN 'ok' ELSE 'FAILED' END
    FROM log WHERE what = printf('%0*d', 20 + 1 % 200, 7919 % 5000);
SELECT 'integrity', CASE WHEN (SELECT * FROM pragma_integrity_check) = 'ok' THEN 'ok'
    ELSE 'FAILED' END;
VACUUM;
SELECT 'after vacuum', CASE WHEN (SELECT * FROM pragma_integrity_check) = 'ok' AND
    (SELECT count(*) FROM log) = 3334 THEN 'ok' ELSE 'FAILED' END;
DROP VIEW dear;
DROP TABLE item;
DROP TABLE kind;
DROP TABLE log;
SELECT 'empty', CASE WHEN (SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite%') = 0
    THEN 'ok' ELSE 'FAILED' END;
