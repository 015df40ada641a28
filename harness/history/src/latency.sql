
-- The median latency of a model on a backend (`bench`). Only those that count: the outputs of the timed runs were right and computed.
CREATE TABLE latency (
  backend INTEGER NOT NULL REFERENCES backend(id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  threads INTEGER NOT NULL,        -- that the backend was allowed
  setting TEXT NOT NULL,           -- what else must be equal to compare: weights, extents, turns, spinning; parted by spaces
  median_ns INTEGER NOT NULL,
  PRIMARY KEY (backend, model, threads, setting)
) STRICT, WITHOUT ROWID;
