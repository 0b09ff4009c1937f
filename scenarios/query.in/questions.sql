-- How many, and how much?
SELECT COUNT(*), AVG(wage)
  WHERE education = 'Secondary';
SELECT LEVEL(education, 1), MAX(age) GROUP BY LEVEL(education, 1);
