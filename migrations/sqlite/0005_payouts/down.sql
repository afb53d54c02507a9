DROP TABLE bill_titles;
DROP TABLE quotes;
DROP TABLE payouts;
