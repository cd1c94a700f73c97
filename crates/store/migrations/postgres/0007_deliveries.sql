-- What was delivered to webhooks, so that what is sent again is the same Event.
create table deliveries (
    webhook  text not null,
    delivery text not null,
    seq      bigint not null,
    at       bigint not null,
    primary key (webhook, delivery)
);
create index deliveries_at on deliveries (at);
