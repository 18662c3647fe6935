-- Important stock identification.
WITH german AS (
    SELECT ps_partkey, ps_supplycost * ps_availqty AS worth
    FROM partsupp
    JOIN supplier ON s_suppkey = ps_suppkey
    JOIN nation ON n_nationkey = s_nationkey
    WHERE n_name = 'GERMANY'
)
SELECT ps_partkey, sum(worth) AS value
FROM german
GROUP BY ps_partkey
HAVING sum(worth) > (SELECT sum(worth) * 0.0001 FROM german)
ORDER BY value DESC, ps_partkey
