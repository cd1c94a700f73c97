-- Named inputs. `callable` is the name of the Function or Graph that they are for, whatever is live under it.
create table presets (
    callable   text not null,
    name       text not null,
    input      text not null,
    created_at bigint not null,
    updated_at bigint not null,
    updated_by text not null,
    primary key (callable, name)
);

-- Outputs of nodes of a draft, which Runs of the draft send instead of executing the nodes. `run_id` is the Run they were taken from.
create table graph_pins (
    name      text not null references graph_drafts (name),
    node      text not null,
    outputs   text not null,
    run_id    uuid,
    pinned_at bigint not null,
    primary key (name, node)
);

-- What a Run of a draft executes: the draft may have changed since.
create table run_drafts (
    run_id  uuid not null primary key references runs (run_id),
    content text not null
);
