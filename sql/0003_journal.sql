-- The journal: every event of the venue in one gapless order, append-only by trigger and by right.
-- It alone is the truth; all other tables are projections of it or bookkeeping about it.

create table journal (
  seq bigint primary key,
  ts_us bigint not null,
  account integer not null,
  kind smallint not null,
  -- The exact bytes of the event: those of the ring, and those the Merkle leaf is rendered from.
  body bytea not null
);

-- Events are short and dense: trying to compress them would only cost time.
alter table journal alter column body set storage external;

create function refuse_journal_change() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is append-only: % refused', tg_op using errcode = 'RL009';
end
$$;

create trigger journal_append_only_rows before update or delete on journal
  for each row execute function refuse_journal_change();
create trigger journal_append_only_table before truncate on journal
  for each statement execute function refuse_journal_change();

-- One row: who may write, and how far the journal reaches. Each commit replaces it, so the page
-- keeps room for many versions.
create table journal_head (
  only_row boolean primary key default true check (only_row),
  -- Raised by each venue that takes the journal over; a deposed writer no longer matches it.
  writer_epoch bigint not null,
  last_seq bigint not null
) with (fillfactor = 10, autovacuum_vacuum_threshold = 5000);

insert into journal_head (writer_epoch, last_seq) values (0, 0);

-- The state after `seq`, packed. Large ones are cut into parts that fit a protocol message.
create table snapshots (
  seq bigint primary key,
  state_hash text not null,
  format_version smallint not null,
  byte_count bigint not null,
  created_at timestamptz not null default now()
);

create table snapshot_parts (
  seq bigint not null references snapshots on delete cascade,
  part integer not null,
  bytes bytea not null,
  primary key (seq, part)
);

-- Packed already.
alter table snapshot_parts alter column bytes set storage external;
