-- Names sort by code point (collation "C"), as they do in SQLite, so that paging is the same on both.
-- Counters that must have no gap. Raising one locks its row until the transaction ends, so numbers are seen in order.
create table counters (
    counter text primary key,
    value   bigint not null
);
insert into counters (counter, value) values ('revision', 0), ('changeset', 0), ('event', 0);

-- What a brain knows of itself: its id, the check of its secrets key.
create table facts (
    fact  text primary key,
    value text not null
);

create table packs (
    pack_id   uuid primary key,
    name      text collate "C" not null unique,
    origin    text not null,
    prefix    text not null,
    loaded_at bigint not null
);

-- What Versions hold, once for each distinct content.
create table contents (
    content_hash bytea primary key,
    kind         text not null,
    description  text not null,
    body         text not null
);

-- Which entries a content names. Names need not be stored yet, so nothing is enforced here. The number is a pinned
-- Version's, or 0 for the live one.
create table content_references (
    content_hash bytea not null references contents (content_hash),
    role         text not null,
    kind         text not null,
    name         text collate "C" not null,
    number       bigint not null,
    primary key (content_hash, role, kind, name, number)
);
create index content_references_name on content_references (name, kind);

create table changesets (
    changeset_id     uuid primary key,
    number           bigint not null unique,
    state            text not null,
    title            text not null,
    base_revision    bigint not null,
    applied_revision bigint unique,
    reverts          uuid references changesets (changeset_id),
    actor            text not null,
    created_at       bigint not null,
    decided_by       text,
    decided_at       bigint,
    checks           text not null,
    conflicts        text not null
);
create index changesets_state on changesets (state, number);
create index changesets_reverts on changesets (reverts);

create table changes (
    changeset_id uuid not null references changesets (changeset_id),
    position     bigint not null,
    kind         text not null,
    name         text not null,
    live         text not null,
    primary key (changeset_id, position)
);

create table change_contents (
    changeset_id uuid not null,
    position     bigint not null,
    ordinal      bigint not null,
    content_hash bytea not null references contents (content_hash),
    written_at   bigint,
    primary key (changeset_id, position, ordinal),
    foreign key (changeset_id, position) references changes (changeset_id, position)
);
create index change_contents_content on change_contents (content_hash);

create table entries (
    entry_id        uuid primary key,
    kind            text not null,
    name            text collate "C" not null,
    live_version_id uuid,
    pack_id         uuid references packs (pack_id),
    unique (kind, name)
);
create index entries_live on entries (live_version_id);
create index entries_pack on entries (pack_id);

create table versions (
    version_id   uuid primary key,
    entry_id     uuid not null references entries (entry_id),
    number       bigint not null,
    content_hash bytea not null references contents (content_hash),
    changeset_id uuid not null references changesets (changeset_id),
    written_by   text not null,
    written_at   bigint not null,
    unique (entry_id, number)
);
create index versions_content on versions (content_hash);
create index versions_changeset on versions (changeset_id);
alter table entries add foreign key (live_version_id) references versions (version_id);

-- Where each live pointer went at which revision; null means the entry was deleted.
create table live_pointers (
    entry_id   uuid not null references entries (entry_id),
    revision   bigint not null,
    version_id uuid references versions (version_id),
    primary key (entry_id, revision)
);
create index live_pointers_revision on live_pointers (revision);
create index live_pointers_version on live_pointers (version_id);

create table events (
    seq    bigint primary key,
    kind   text not null,
    source text not null,
    data   text not null,
    actor  text not null,
    at     bigint not null
);
create index events_kind on events (kind, seq);

create table audit (
    audit_id uuid primary key,
    at       bigint not null,
    actor    text not null,
    verb     text not null,
    subject  text not null,
    details  text not null
);
create index audit_subject on audit (subject, audit_id);
