-- work.sql - a small shop in memory: bulk inserts, indexes, joins, windows, text search by LIKE, updates, triggers, deletes.
-- Rows come from recursive queries and an arithmetic generator, so that every run does the same.
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city INTEGER);
CREATE TABLE item(id INTEGER PRIMARY KEY, label TEXT, price REAL);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER, item INTEGER, quantity INTEGER, day INTEGER);
CREATE TABLE audit(purchase INTEGER, was INTEGER, became INTEGER);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO customer SELECT i, 'customer ' || printf('%05d', (i * 7919) % 100003), i % 37 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO item SELECT i, hex((i * 2654435761) % 4294967296) || ' item', ((i * 31) % 997) / 10.0 FROM n;
WITH RECURSIVE n(i, r) AS (SELECT 1, 12345 UNION ALL SELECT i + 1, (r * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 40000)
INSERT INTO purchase SELECT i, 1 + (r / 65536) % 2000, 1 + (r / 256) % 500, 1 + r % 9, i / 100 FROM n;
COMMIT;
CREATE INDEX purchase_customer ON purchase(customer, day);
CREATE INDEX purchase_item ON purchase(item);
CREATE INDEX customer_name ON customer(name);
CREATE TRIGGER changed AFTER UPDATE OF quantity ON purchase BEGIN
    INSERT INTO audit VALUES(old.id, old.quantity, new.quantity);
END;
SELECT city, count(*), round(sum(quantity * price), 2) FROM purchase
    JOIN customer ON customer.id = purchase.customer JOIN item ON item.id = purchase.item GROUP BY city ORDER BY 3 DESC LIMIT 10;
SELECT name, (SELECT count(*) FROM purchase WHERE customer = customer.id AND day BETWEEN 50 AND 150) AS n
    FROM customer ORDER BY n DESC, name LIMIT 10;
SELECT count(*) FROM item AS a, item AS b WHERE a.price < b.price AND a.label LIKE '%' || substr(b.label, 1, 2) || '%';
SELECT day, round(avg(total) OVER (ORDER BY day ROWS 6 PRECEDING), 3) FROM
    (SELECT day, sum(quantity) AS total FROM purchase GROUP BY day) ORDER BY day LIMIT 10 OFFSET 100;
UPDATE purchase SET quantity = quantity + 1 WHERE item IN (SELECT id FROM item WHERE price > 60);
SELECT count(*), sum(became - was) FROM audit;
SELECT substr(label, 1, 1) AS first, group_concat(DISTINCT length(label)), max(price) FROM item GROUP BY first ORDER BY first;
DELETE FROM purchase WHERE id % 3 = 0;
SELECT name FROM customer WHERE name GLOB '*0[0-4]?' ORDER BY name LIMIT 5;
SELECT count(DISTINCT customer || '/' || item) FROM purchase;
WITH RECURSIVE hops(c, depth) AS (SELECT 1, 0 UNION SELECT (c * 3 + 1) % 2000, depth + 1 FROM hops WHERE depth < 3000)
    SELECT count(*), max(c) FROM hops;
DROP INDEX purchase_item;
SELECT i.label, count(*) FROM item i LEFT JOIN purchase p ON p.item = i.id GROUP BY i.id ORDER BY 2 DESC, 1 LIMIT 5;
DROP TABLE audit; DROP TABLE purchase; DROP TABLE item; DROP TABLE customer;
