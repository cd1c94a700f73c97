-- The hosts that a secret is sealed for, as a JSON list; none: cells get its value.
alter table secrets add column hosts text not null default '[]';
