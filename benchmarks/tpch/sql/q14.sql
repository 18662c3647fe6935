-- Promotion effect.
SELECT 100.0 * CAST(sum(l_extendedprice * (1 - l_discount)) FILTER (WHERE p_type LIKE 'PROMO%') AS DOUBLE PRECISION)
       / CAST(sum(l_extendedprice * (1 - l_discount)) AS DOUBLE PRECISION) AS promo_revenue
FROM lineitem
JOIN part ON p_partkey = l_partkey
WHERE l_shipdate >= DATE '1995-09-01'
  AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH
