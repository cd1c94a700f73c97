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
update changesets set access = (
        select json_object('holder', changesets.actor, 'role', tokens.role, 'uses', null, 'grants', json(tokens.grants))
        from tokens where tokens.patterns = '[]' and changesets.actor = 'token:' || lower(
            substr(hex(token_id), 1, 8) || '-' || substr(hex(token_id), 9, 4) || '-' || substr(hex(token_id), 13, 4)
            || '-' || substr(hex(token_id), 17, 4) || '-' || substr(hex(token_id), 21)))
    where actor like 'token:%';
update changesets set access = (
        select json_object('holder', changesets.actor, 'role', tokens.role, 'only', json(tokens.patterns))
        from tokens where changesets.actor = 'token:' || lower(
            substr(hex(token_id), 1, 8) || '-' || substr(hex(token_id), 9, 4) || '-' || substr(hex(token_id), 13, 4)
            || '-' || substr(hex(token_id), 17, 4) || '-' || substr(hex(token_id), 21)))
    where actor like 'token:%' and access is null;
update changesets set decided_access = access where decided_by = actor;
update changesets set decided_access = '{"holder":"command_line","role":"admin","uses":null,"grants":["all"]}'
    where decided_by = 'command_line';
