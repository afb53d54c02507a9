DROP TABLE attempts;
DROP TABLE deliveries;
DROP TABLE endpoints;
DROP TABLE events;
