-- Browsers that have signed in. `access` is what they may do, as JSON; `hash` is of what their cookie holds.
create table sessions (
    session_id uuid primary key,
    name       text collate "C" not null unique,
    hash       bytea not null unique,
    access     text not null,
    created_at bigint not null,
    created_by text not null,
    expires_at bigint not null
);

-- Before, a browser had the token of an administrator in its cookie. Those go, and whoever used one signs in again.
delete from tokens where created_by = 'command_line' and length(name) = 40 and name like 'browser-%';
