-- National market share.
WITH volumes AS (
    SELECT extract(year FROM o_orderdate) AS o_year,
           l_extendedprice * (1 - l_discount) AS volume,
           supp.n_name AS nation
    FROM part
    JOIN lineitem ON l_partkey = p_partkey
    JOIN orders ON o_orderkey = l_orderkey
    JOIN customer ON c_custkey = o_custkey
    JOIN nation AS cust ON cust.n_nationkey = c_nationkey
    JOIN region ON r_regionkey = cust.n_regionkey
    JOIN supplier ON s_suppkey = l_suppkey
    JOIN nation AS supp ON supp.n_nationkey = s_nationkey
    WHERE r_name = 'AMERICA'
      AND p_type = 'ECONOMY ANODIZED STEEL'
      AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
)
SELECT o_year,
       CAST(sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) AS DOUBLE PRECISION) / CAST(sum(volume) AS DOUBLE PRECISION) AS mkt_share
FROM volumes
GROUP BY o_year
ORDER BY o_year
