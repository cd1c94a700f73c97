-- Those with an error, in the order of lists. PostgreSQL looks at the Run itself for the text.
create index runs_errors on runs (run_id) where error is not null;
