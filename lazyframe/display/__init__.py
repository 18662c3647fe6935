"""How results look: tables in terminals, tables in notebooks, schemas of queries that have not run."""
