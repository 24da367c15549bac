-- parsing.sql - an input of bench/place_real.sh: text functions, JSON, many statements that do little.
SELECT upper('abc') || lower('DEF') || substr('bursty', 2, 3) || replace('a-b-c', '-', '+');
SELECT json_extract('{"a": [1, 2, {"b": "x"}]}', '$.a[2].b'), json_array_length('[1, 2, 3]');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
SELECT count(*), sum(length(printf('%05d:%s', i, hex(i * 7919)))), sum('row ' || i LIKE '%7%'),
  sum(('x' || i) GLOB 'x[1-4]*'), max(trim('  ' || char(65 + i % 26) || ' ')) FROM n;
SELECT (((((1 + 2) * 3 - 4) / 5) | 6) & 7) << 2, CASE WHEN 1 THEN 'one' ELSE 'none' END, coalesce(NULL, 9);
SELECT a.x, b.y FROM (SELECT 1 AS x UNION SELECT 2 UNION SELECT 3) a JOIN (SELECT 2 AS y UNION SELECT 3) b ON a.x = b.y;
SELECT group_concat(v, '/') FROM (SELECT value AS v FROM json_each('["p", "q", "r"]') ORDER BY 1 DESC);
SELECT strftime('%Y-%m', '2024-02-29', '+1 month'), typeof(1.5), round(2.567, 1), abs(-3), instr('burst', 's');
EXPLAIN QUERY PLAN SELECT 1 WHERE 1 IN (1, 2, 3);
