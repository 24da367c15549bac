-- transactions.sql - an input of bench/place_real.sh: many small changes.
DROP TABLE IF EXISTS account;
CREATE TABLE account(id INTEGER PRIMARY KEY, owner TEXT UNIQUE, cents INTEGER CHECK (cents >= 0));
CREATE TRIGGER IF NOT EXISTS watched AFTER UPDATE ON account WHEN new.cents > 1000000 BEGIN
  UPDATE account SET cents = 1000000 WHERE id = new.id; END;
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
INSERT INTO account SELECT i, 'owner ' || i, i * 7919 % 100000 FROM n;
COMMIT;
BEGIN; UPDATE account SET cents = cents + 10 WHERE id % 3 = 0; SAVEPOINT s;
DELETE FROM account WHERE id % 5 = 0; ROLLBACK TO s; COMMIT;
BEGIN; UPDATE account SET owner = owner || '!' WHERE cents BETWEEN 1000 AND 60000; COMMIT;
REPLACE INTO account SELECT id, owner, cents / 2 FROM account WHERE id % 2 = 0;
INSERT INTO account(owner, cents) VALUES ('last', 5) ON CONFLICT DO NOTHING;
SELECT count(*), sum(cents), max(owner) FROM account;
