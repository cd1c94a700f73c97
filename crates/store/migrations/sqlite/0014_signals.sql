-- The last Event of a Changeset that was applied: what it made live hears what comes after. Of Changesets from before, the Events that
-- nobody looked at yet are told apart by their times.
alter table changesets add column applied_seq integer not null default 0;
update changesets set applied_seq = coalesce((
        select max(events.seq) from events
        where events.seq > coalesce((select cursors.seq from cursors where cursors.cursor = 'triggers'), 0)
            and events.at <= changesets.decided_at), 0)
    where applied_revision in (select live_pointers.revision from live_pointers
        join entries on entries.entry_id = live_pointers.entry_id where entries.kind = 'trigger');

-- What a server does: names of roles with commas between them.
alter table nodes add column roles text not null default '';
