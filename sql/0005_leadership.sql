-- Which of several venues on this database leads (docs/decisions/0066-who-leads.md). The rows are apart from
-- journal_head, which a commit locks while it waits for the standby.

-- One row. A renewal replaces it several times a second, so the page keeps room for many versions.
create table leadership (
  only_row boolean primary key default true check (only_row),
  -- The leading process, by a random name: a restarted venue is another holder. Empty while nobody leads.
  holder text not null,
  -- The writer epoch under which the holder writes the journal.
  writer_epoch bigint not null,
  -- Where the holder's API listens, for people and gateways.
  address text not null,
  lease_ms integer not null check (lease_ms > 0),
  -- Counts renewals. Followers watch it by their own clocks; renewed_at only informs.
  renewals bigint not null default 0,
  renewed_at timestamptz not null default now(),
  -- The follower to which the holder hands over; it need not wait for the lease to run out.
  handed_to text,
  -- All rows of events up to this one are written.
  settled_seq bigint not null default 0,
  -- The chained hash of the journal after chain_seq, and a value of the chain from which it can be computed.
  base_seq bigint not null default 0,
  base_hash bytea not null default '',
  chain_seq bigint not null default 0,
  chain_hash bytea not null default ''
) with (fillfactor = 10, autovacuum_vacuum_threshold = 5000);

insert into leadership (holder, writer_epoch, address, lease_ms) values ('', 0, '', 1);

-- Venues that follow. Rows of processes that have ended are removed by the others.
create table followers (
  follower text primary key,
  address text not null,
  seq bigint not null,
  seen_at timestamptz not null default now()
) with (fillfactor = 50);

-- Ends all sessions of the leader `p_holder` and waits until they are gone, at most two seconds. All are told first and
-- then looked at often: the server's own wait looks ten times a second, at one session after the other.
create function end_leader_sessions(p_holder text) returns void language plpgsql as $$
declare
  v_deadline timestamptz := clock_timestamp() + interval '2 seconds';
  v_tell boolean := p_holder <> '';
begin
  while p_holder <> '' and clock_timestamp() < v_deadline loop
    perform pg_stat_clear_snapshot();
    perform case when v_tell then pg_terminate_backend(pid) end from pg_stat_activity
    where datname = current_database() and application_name like 'rialto-% ' || p_holder
      and pid <> pg_backend_pid();
    exit when not found;
    v_tell := false;
    perform pg_sleep(0.002);
  end loop;
end
$$;

-- Takes the lease if it is still as its claimant has seen it, in one statement, because trading waits for it. Returns
-- the new writer epoch; null if the lease has changed.
create function claim_leadership(p_name text, p_address text, p_lease_ms integer, p_holder text, p_renewals bigint)
returns bigint language plpgsql as $$
declare
  v_epoch bigint;
  v_writer text;
begin
  perform from leadership where holder = p_holder and renewals = p_renewals for update;
  if not found then
    return null;
  end if;
  -- Their end is not awaited here: a commit of theirs is either over before the next update, or refused by it.
  perform pg_terminate_backend(pid) from pg_stat_activity
  where p_holder <> '' and datname = current_database() and application_name like 'rialto-% ' || p_holder
    and pid <> pg_backend_pid();
  -- The number of the venue's advisory lock: whoever still holds it writes the journal without a lease.
  select format('%s, backend %s', a.application_name, a.pid) into v_writer
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = 1380532556
    and l.database = (select oid from pg_database where datname = current_database())
    and (p_holder = '' or a.application_name not like 'rialto-% ' || p_holder);
  if found then
    raise exception 'a venue without a lease writes the journal (%)', v_writer using errcode = 'RL004';
  end if;
  update journal_head set writer_epoch = writer_epoch + 1 returning writer_epoch into v_epoch;
  update leadership set holder = p_name, writer_epoch = v_epoch, address = p_address, lease_ms = p_lease_ms,
    handed_to = null, renewals = renewals + 1, renewed_at = clock_timestamp();
  return v_epoch;
end
$$;

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant select, update on leadership to rialto_venue;
    grant delete, insert, select, update on followers to rialto_venue;
  end if;
end
$$;
