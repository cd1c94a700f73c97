-- The beginning of each error, in the index itself: a text that few errors have is looked for among all of them, and reading the
-- Runs for that would take ten times as long.
alter table runs add column error_text text generated always as (substr(lower(error), 1, 500)) virtual;
create index runs_errors on runs (run_id, error_text) where error is not null;
