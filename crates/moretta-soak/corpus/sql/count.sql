SELECT COUNT(*), AVG(age) WHERE age >= 50 AND disease IN ('flu', 'cold') OR NOT (x BETWEEN 1.5 AND 2e3) GROUP BY sex, LEVEL(education, 1)
