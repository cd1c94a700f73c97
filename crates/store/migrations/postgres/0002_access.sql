create table secrets (
    secret_id  uuid primary key,
    name       text collate "C" not null unique,
    sealed     bytea not null,
    created_at bigint not null,
    updated_at bigint not null,
    updated_by text not null
);

create table tokens (
    token_id   uuid primary key,
    name       text collate "C" not null unique,
    hash       bytea not null unique,
    role       text not null,
    patterns   text not null,
    created_at bigint not null,
    created_by text not null,
    expires_at bigint
);
