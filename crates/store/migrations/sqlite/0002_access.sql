create table secrets (
    secret_id  blob not null primary key,
    name       text not null unique,
    sealed     blob not null,
    created_at integer not null,
    updated_at integer not null,
    updated_by text not null
) strict;

create table tokens (
    token_id   blob not null primary key,
    name       text not null unique,
    hash       blob not null unique,
    role       text not null,
    patterns   text not null,
    created_at integer not null,
    created_by text not null,
    expires_at integer
) strict;
