-- Global sales opportunity: customers of some countries with money and without orders.
WITH rich AS (
    SELECT substring(c_phone, 1, 2) AS cntrycode, c_custkey, c_acctbal
    FROM customer
    WHERE substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
)
SELECT cntrycode, count(*) AS numcust, sum(c_acctbal) AS totacctbal
FROM rich
WHERE c_acctbal > (SELECT avg(c_acctbal) FROM rich WHERE c_acctbal > 0)
  AND NOT EXISTS (SELECT 1 FROM orders WHERE o_custkey = c_custkey)
GROUP BY cntrycode
ORDER BY cntrycode
