-- Minimum cost supplier: the least cost is asked for part by part.
WITH offers AS (
    SELECT *
    FROM partsupp
    JOIN supplier ON s_suppkey = ps_suppkey
    JOIN nation ON n_nationkey = s_nationkey
    JOIN region ON r_regionkey = n_regionkey
    WHERE r_name = 'EUROPE'
)
SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
FROM part
JOIN offers ON ps_partkey = p_partkey
WHERE p_size = 15
  AND p_type LIKE '%BRASS'
  AND ps_supplycost = (SELECT min(o.ps_supplycost) FROM offers AS o WHERE o.ps_partkey = p_partkey)
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100
