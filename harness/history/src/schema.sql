-- A run of cases on backends.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,     -- SHA-256 of what the run's log holds: a run is added once
  started TEXT NOT NULL,           -- UTC, RFC 3339
  release TEXT NOT NULL,           -- of ONNX: 1.22.0, 1.2.1..1.22.0, or empty for other cases
  policy TEXT NOT NULL,            -- by which outputs were judged
  tolerances INTEGER NOT NULL,     -- version of the policy's file
  harness TEXT NOT NULL,           -- version of onnx-conformance
  machine TEXT NOT NULL,           -- processor and system
  label TEXT NOT NULL,             -- what a person called the run; may be empty
  selection TEXT NOT NULL DEFAULT '' -- arguments that select some of the cases; empty for all cases of the releases
) STRICT;
CREATE INDEX run_started ON run(started);

-- A backend that took part in a run.
CREATE TABLE backend (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  name TEXT NOT NULL,              -- how reports call it
  kind TEXT NOT NULL,              -- what it calls itself: ort, tract
  version TEXT NOT NULL,
  options TEXT NOT NULL,           -- key=value, sorted, parted by spaces
  wall_s REAL,                     -- seconds that its cases took; null where that is not known
  UNIQUE (run, name)
) STRICT;
CREATE INDEX backend_name ON backend(name);
CREATE INDEX backend_kind ON backend(kind);

-- How many cases of a run came to a verdict on a backend; the sum of its rows in `result`.
CREATE TABLE tally (
  backend INTEGER NOT NULL REFERENCES backend(id) ON DELETE CASCADE,
  verdict INTEGER NOT NULL REFERENCES verdict(id),
  cases INTEGER NOT NULL,
  PRIMARY KEY (backend, verdict)
) STRICT, WITHOUT ROWID;

-- What a case came to on a backend.
CREATE TABLE result (
  backend INTEGER NOT NULL REFERENCES backend(id) ON DELETE CASCADE,
  test INTEGER NOT NULL REFERENCES test(id),
  verdict INTEGER NOT NULL REFERENCES verdict(id),
  reason INTEGER REFERENCES reason(id), -- null of a pass
  level INTEGER REFERENCES level(id),   -- null where there was no answer
  max_ulp REAL,                         -- largest error of all outputs in units in the last place; null where none was measured
  PRIMARY KEY (backend, test)
) STRICT, WITHOUT ROWID;

-- A case: onnx-1.22.0/node/test_abs.
CREATE TABLE test (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- The operators of a case: Softmax-13.
CREATE TABLE uses (
  test INTEGER NOT NULL REFERENCES test(id),
  operator INTEGER NOT NULL REFERENCES operator(id),
  about INTEGER NOT NULL,          -- 1 where the case is about this operator
  PRIMARY KEY (test, operator)
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_operator ON uses(operator);

CREATE TABLE operator (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE verdict (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE        -- pass, mismatch, …
) STRICT;

CREATE TABLE level (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE        -- exact, within_rounding, …
) STRICT;

-- Why a case did not pass; each text once.
CREATE TABLE reason (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

-- Every result with its names: for questions of your own.
CREATE VIEW results AS
  SELECT run.started, run.release, run.policy, run.label, backend.name AS backend, backend.kind, backend.version, test.name AS test,
         verdict.name AS verdict, reason.text AS reason, level.name AS level, result.max_ulp
  FROM result
  JOIN backend ON backend.id = result.backend
  JOIN run ON run.id = backend.run
  JOIN test ON test.id = result.test
  JOIN verdict ON verdict.id = result.verdict
  LEFT JOIN reason ON reason.id = result.reason
  LEFT JOIN level ON level.id = result.level;
