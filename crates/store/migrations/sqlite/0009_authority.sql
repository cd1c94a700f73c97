-- What a Run may do and from whom it has that, as JSON; null of those that were recorded before this was and have ended.
alter table runs add column access text;

-- The same of whoever proposed a Changeset, and of whoever decided about it. What an applied Trigger or Schedule starts
-- has the authority of who applied it.
alter table changesets add column access text;
alter table changesets add column decided_access text;

-- What functions that a Token writes may call and be granted. Those that were made for every name might do both.
alter table tokens add column uses text not null default '[]';
alter table tokens add column grants text not null default '[]';
update tokens set patterns = '[]' where patterns = '["*"]';
update tokens set grants = '["all"]' where patterns = '[]';

-- What those who acted so far may do. Of a token that is gone nobody knows it, and nothing may be done by it.
create temporary table authorities (actor text not null primary key, access text not null);
insert into authorities values
    ('command_line', '{"holder":"command_line","role":"admin","uses":null,"grants":["all"]}');
insert into authorities (actor, access)
    select actor, case when patterns = '[]'
        then json_object('holder', actor, 'role', role, 'uses', null, 'grants', json(grants))
        else json_object('holder', actor, 'role', role, 'only', json(patterns)) end
    from (select 'token:' || lower(
        substr(hex(token_id), 1, 8) || '-' || substr(hex(token_id), 9, 4) || '-' || substr(hex(token_id), 13, 4)
        || '-' || substr(hex(token_id), 17, 4) || '-' || substr(hex(token_id), 21)) as actor, role, patterns, grants
        from tokens);
update changesets set
    access = (select authorities.access from authorities where authorities.actor = changesets.actor),
    decided_access = (select authorities.access from authorities where authorities.actor = changesets.decided_by);
update runs set access = (select authorities.access from authorities where authorities.actor = runs.actor)
    where state in ('queued', 'running', 'waiting');
drop table authorities;
