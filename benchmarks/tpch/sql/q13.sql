-- Customer distribution.
WITH counts AS (
    SELECT c_custkey, count(o_orderkey) AS c_count
    FROM customer
    LEFT JOIN orders ON o_custkey = c_custkey AND o_comment NOT LIKE '%special%requests%'
    GROUP BY c_custkey
)
SELECT c_count, count(*) AS custdist
FROM counts
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC
