SELECT MIN("a b") FROM t WHERE a IS NOT NULL; -- why
SELECT SUM(x) WHERE a <> 'it''s' AND d < '1994-03-07';
