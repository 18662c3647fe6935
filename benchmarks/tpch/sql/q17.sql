-- Revenue of small quantity orders.
SELECT CAST(sum(l_extendedprice) AS DOUBLE PRECISION) / 7 AS avg_yearly
FROM lineitem
JOIN part ON p_partkey = l_partkey
WHERE p_brand = 'Brand#23'
  AND p_container = 'MED BOX'
  AND l_quantity < (SELECT 0.2 * avg(other.l_quantity) FROM lineitem AS other WHERE other.l_partkey = p_partkey)
