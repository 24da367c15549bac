-- analysis.sql - an input of bench/place_real.sh: joins, groups, windows and sorting.
DROP TABLE IF EXISTS sale; DROP TABLE IF EXISTS shop;
CREATE TABLE shop(id INTEGER PRIMARY KEY, town TEXT);
CREATE TABLE sale(shop INTEGER, day INTEGER, cents REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO shop SELECT i, 'town ' || i % 9 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO sale SELECT i * 31 % 40 + 1, i % 90, i * 7919 % 5000 FROM n;
CREATE INDEX sold ON sale(shop, day);
SELECT town, count(*), round(avg(cents), 2) FROM sale JOIN shop ON shop.id = sale.shop GROUP BY town ORDER BY 3 DESC LIMIT 5;
SELECT day, round(sum(cents) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW), 1)
FROM (SELECT day, sum(cents) AS cents FROM sale GROUP BY day) ORDER BY day DESC LIMIT 5;
SELECT count(*) FROM sale a JOIN sale b ON a.shop = b.shop AND a.day = b.day + 1 WHERE a.cents > b.cents;
SELECT shop, cents, rank() OVER (PARTITION BY shop ORDER BY cents DESC) AS r FROM sale WHERE shop < 4 ORDER BY r, shop LIMIT 6;
SELECT town FROM shop WHERE id IN (SELECT shop FROM sale GROUP BY shop HAVING sum(cents) > 180000) EXCEPT SELECT 'town 1';
