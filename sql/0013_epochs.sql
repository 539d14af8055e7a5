-- Epochs: what the venue commits to, minute by minute. Sealed epochs and tiles never change: refused by
-- trigger as the journal's changes are. Tiles hold 256 hashes of one level of an epoch's tree each.

-- One row, written with the first epoch: what all epochs have in common.
create table epoch_chain (
  only_row boolean primary key default true check (only_row),
  venue text not null,
  epoch_ms bigint not null,
  first_epoch bigint not null,
  -- Tells whether the nonce key at hand is the one the leaves were made with; says nothing about it.
  nonce_key_check text not null
);

create table epochs (
  epoch bigint primary key,
  start_ms bigint not null,
  end_ms bigint not null,
  -- An empty epoch has a first entry one past its last, and a first trade that is still to come.
  first_seq bigint not null,
  last_seq bigint not null,
  first_trade bigint not null,
  journal_count bigint not null,
  fill_count bigint not null,
  merkle_root bytea not null,
  prev_root bytea not null,
  root bytea not null,
  sealed_at timestamptz not null default now()
);

-- An entry or a trade is looked up among the epochs that have any.
create index epochs_entries on epochs (last_seq) where journal_count > 0;
create index epochs_trades on epochs (first_trade) where fill_count > 0;

create table epoch_tiles (
  epoch bigint not null,
  level smallint not null,
  tile integer not null,
  hashes bytea not null,
  primary key (epoch, level, tile)
);

-- Hashes do not compress.
alter table epoch_tiles alter column hashes set storage external;

-- Entries about an order besides its acceptance, which its row leads to by time, and its trades. Rare.
create table order_changes (
  order_id bigint not null,
  seq bigint not null,
  primary key (order_id, seq)
);

create function refuse_epoch_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'RL009';
end
$$;

create trigger epochs_append_only_rows before update or delete on epochs
  for each row execute function refuse_epoch_change();
create trigger epochs_append_only_table before truncate on epochs
  for each statement execute function refuse_epoch_change();
create trigger epoch_tiles_append_only_rows before update or delete on epoch_tiles
  for each row execute function refuse_epoch_change();
create trigger epoch_tiles_append_only_table before truncate on epoch_tiles
  for each statement execute function refuse_epoch_change();

-- The seq of the entry of that very time, null if there is none. Times ascend with seq, so a bisection
-- finds it and the journal needs no second index.
create function seq_at(p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
declare
  v_low bigint := 1;
  v_high bigint;
  v_middle bigint;
  v_us bigint;
begin
  select last_seq into v_high from journal_head;
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select ts_us into v_us from journal where seq = v_middle;
    if v_us < p_us then
      v_low := v_middle + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  select ts_us into v_us from journal where seq = v_low;
  return case when v_us = p_us then v_low end;
end
$$;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert on epoch_chain, epochs, epoch_tiles, order_changes to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
