-- Language models: how each is reached, what it costs and what it takes. Keys are not here: `key_source` says where one is read from.
create table models (
    name       text not null primary key,
    protocol   text not null,
    base_url   text not null,
    model_id   text not null,
    key_source text not null,
    price      text not null,
    profile    text not null,
    probed_at  bigint,
    updated_at bigint not null,
    updated_by text not null
);

-- Each role has at most one model.
create table model_roles (
    role text not null primary key,
    name text not null references models (name) on delete cascade
);
