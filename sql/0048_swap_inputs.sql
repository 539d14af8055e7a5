-- The coins that a prepared or signed lock of a swap names, a JSON list, so that no other lock of its trader names
-- them too, and whether a lock that was signed in time failed without the trader's doing.

alter table swaps add column inputs text;
alter table swaps add column is_lock_failed boolean not null default false;
