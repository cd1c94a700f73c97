-- Steps are known by the lane that asked for them, a thread or task of the Run, and by their number in it. Before, all were
-- numbered in the order in which they were asked for, as those of a single lane are.
alter table steps add column lane text not null default 'main';
alter table steps add column number integer not null default 0;
update steps set number = position;
