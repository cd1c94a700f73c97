-- Counters that must have no gap. Raising one locks its row until the transaction ends, so numbers are seen in order.
create table counters (
    counter text not null primary key,
    value   integer not null
) strict;
insert into counters (counter, value) values ('revision', 0), ('changeset', 0), ('event', 0);

-- What a brain knows of itself: its id, the check of its secrets key.
create table facts (
    fact  text not null primary key,
    value text not null
) strict;

create table packs (
    pack_id   blob not null primary key,
    name      text not null unique,
    origin    text not null,
    prefix    text not null,
    loaded_at integer not null
) strict;

-- What Versions hold, once for each distinct content.
create table contents (
    content_hash blob not null primary key,
    kind         text not null,
    description  text not null,
    body         text not null
) strict;

-- Which entries a content names. Names need not be stored yet, so nothing is enforced here. The number is a pinned
-- Version's, or 0 for the live one.
create table content_references (
    content_hash blob not null references contents (content_hash),
    role         text not null,
    kind         text not null,
    name         text not null,
    number       integer not null,
    primary key (content_hash, role, kind, name, number)
) strict;
create index content_references_name on content_references (name, kind);

create table changesets (
    changeset_id     blob not null primary key,
    number           integer not null unique,
    state            text not null,
    title            text not null,
    base_revision    integer not null,
    applied_revision integer unique,
    reverts          blob references changesets (changeset_id),
    actor            text not null,
    created_at       integer not null,
    decided_by       text,
    decided_at       integer,
    checks           text not null,
    conflicts        text not null
) strict;
create index changesets_state on changesets (state, number);
create index changesets_reverts on changesets (reverts);

create table changes (
    changeset_id blob not null references changesets (changeset_id),
    position     integer not null,
    kind         text not null,
    name         text not null,
    live         text not null,
    primary key (changeset_id, position)
) strict;

create table change_contents (
    changeset_id blob not null,
    position     integer not null,
    ordinal      integer not null,
    content_hash blob not null references contents (content_hash),
    written_at   integer,
    primary key (changeset_id, position, ordinal),
    foreign key (changeset_id, position) references changes (changeset_id, position)
) strict;
create index change_contents_content on change_contents (content_hash);

create table entries (
    entry_id        blob not null primary key,
    kind            text not null,
    name            text not null,
    live_version_id blob references versions (version_id),
    pack_id         blob references packs (pack_id),
    unique (kind, name)
) strict;
create index entries_live on entries (live_version_id);
create index entries_pack on entries (pack_id);

create table versions (
    version_id   blob not null primary key,
    entry_id     blob not null references entries (entry_id),
    number       integer not null,
    content_hash blob not null references contents (content_hash),
    changeset_id blob not null references changesets (changeset_id),
    written_by   text not null,
    written_at   integer not null,
    unique (entry_id, number)
) strict;
create index versions_content on versions (content_hash);
create index versions_changeset on versions (changeset_id);

-- Where each live pointer went at which revision; null means the entry was deleted.
create table live_pointers (
    entry_id   blob not null references entries (entry_id),
    revision   integer not null,
    version_id blob references versions (version_id),
    primary key (entry_id, revision)
) strict;
create index live_pointers_revision on live_pointers (revision);
create index live_pointers_version on live_pointers (version_id);

create table events (
    seq    integer primary key,
    kind   text not null,
    source text not null,
    data   text not null,
    actor  text not null,
    at     integer not null
) strict;
create index events_kind on events (kind, seq);

create table audit (
    audit_id blob not null primary key,
    at       integer not null,
    actor    text not null,
    verb     text not null,
    subject  text not null,
    details  text not null
) strict;
create index audit_subject on audit (subject, audit_id);
