-- The marketplace has a database of its own.
CREATE DATABASE marketplace;
