-- Until when the trader of a swap that took a quote must have signed. Swaps that wait for it now keep the time
-- they were given.

alter table swaps add column sign_before_ms bigint not null default 0;
update swaps set sign_before_ms = due_ms where state = 3;

-- What a trader took and did not carry out: called off, too late, taken back.
create index swap_moves_unkept on swap_moves (account, at_ms)
  where from_state in (3, 4, 5) and reason in (3, 4, 11);
