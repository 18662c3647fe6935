-- Volume shipping, between two nations and both ways.
SELECT supp.n_name AS supp_nation,
       cust.n_name AS cust_nation,
       extract(year FROM l_shipdate) AS l_year,
       sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem
JOIN supplier ON s_suppkey = l_suppkey
JOIN orders ON o_orderkey = l_orderkey
JOIN customer ON c_custkey = o_custkey
JOIN nation AS supp ON supp.n_nationkey = s_nationkey
JOIN nation AS cust ON cust.n_nationkey = c_nationkey
WHERE l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
  AND (supp.n_name = 'FRANCE' AND cust.n_name = 'GERMANY' OR supp.n_name = 'GERMANY' AND cust.n_name = 'FRANCE')
GROUP BY ALL
ORDER BY supp_nation, cust_nation, l_year
