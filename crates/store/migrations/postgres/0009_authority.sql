-- What a Run may do and from whom it has that, as JSON; null of those that were recorded before this was.
alter table runs add column access text;

-- The same of whoever proposed a Changeset, and of whoever decided about it. What an applied Trigger or Schedule starts
-- has the authority of who applied it.
alter table changesets add column access text;
alter table changesets add column decided_access text;

-- What functions that a Token writes may call and be granted. Those that were made for every name might do both.
alter table tokens add column uses text not null default '[]';
alter table tokens add column grants text not null default '[]';
update tokens set grants = '["all"]' where patterns = '[]';

update changesets set access = '{"holder":"command_line","role":"admin","uses":null,"grants":["all"]}'
    where actor = 'command_line';
update changesets set access = json_build_object('holder', actor, 'role', tokens.role, 'uses', null, 'grants',
        tokens.grants::json)::text
    from tokens where tokens.patterns = '[]' and changesets.actor = 'token:' || tokens.token_id::text;
update changesets set access = json_build_object('holder', actor, 'role', tokens.role, 'only',
        tokens.patterns::json)::text
    from tokens where access is null and changesets.actor = 'token:' || tokens.token_id::text;
update changesets set decided_access = access where decided_by = actor;
update changesets set decided_access = '{"holder":"command_line","role":"admin","uses":null,"grants":["all"]}'
    where decided_by = 'command_line';
