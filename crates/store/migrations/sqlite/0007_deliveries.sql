-- What was delivered to webhooks, so that what is sent again is the same Event.
create table deliveries (
    webhook  text not null,
    delivery text not null,
    seq      integer not null,
    at       integer not null,
    primary key (webhook, delivery)
) strict;
create index deliveries_at on deliveries (at);
