-- Browsers that have signed in. `access` is what they may do, as JSON; `hash` is of what their cookie holds.
create table sessions (
    session_id blob not null primary key,
    name       text not null unique,
    hash       blob not null unique,
    access     text not null,
    created_at integer not null,
    created_by text not null,
    expires_at integer not null
) strict;

-- Before, a browser had the token of an administrator in its cookie. Those go, and whoever used one signs in again.
delete from tokens where created_by = 'command_line' and length(name) = 40 and name like 'browser-%';
