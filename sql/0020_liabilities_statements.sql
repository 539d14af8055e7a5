-- Statements of liabilities (docs/spec/liabilities.md). A statement's text is stored before the command that journals its
-- digest; `entry_seq` is the entry with the digest, set in the transaction that commits it. From then on the row never
-- changes. A row without entry was abandoned, and the next statement may replace it.
create table liability_statements (
  epoch bigint primary key,
  -- The last entry of the epoch, after which the amounts are counted.
  stated_seq bigint not null,
  statement text not null,
  digest bytea not null,
  entry_seq bigint,
  made_us bigint not null
);

create trigger liability_statements_append_only_rows before update or delete on liability_statements
  for each row when (old.entry_seq is not null) execute function refuse_epoch_change();
create trigger liability_statements_append_only_table before truncate on liability_statements
  for each statement execute function refuse_epoch_change();

-- The sum trees of the newest statements: 256 leaves (level 0: tag, hash, sum) or nodes (levels 8, 16, ...: hash, sum) a
-- row. Members' proofs are made from them. They are made anew with each statement, so a crash of the server may empty the
-- table, and standbys and the write-ahead log are spared tens of megabytes a minute.
create unlogged table liability_tiles (
  epoch bigint not null,
  asset smallint not null,
  level smallint not null,
  tile integer not null,
  -- The tag of a level-0 tile's first leaf, by which the leaf of a tag is found; null at other levels.
  first_tag bytea,
  nodes bytea not null,
  primary key (epoch, asset, level, tile)
);
create index liability_tiles_tags on liability_tiles (epoch, asset, first_tag) where level = 0;
-- Hashes do not compress.
alter table liability_tiles alter column nodes set storage external;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, insert, update, delete on liability_statements, liability_tiles to rialto_venue;
  end if;
end
$$;
