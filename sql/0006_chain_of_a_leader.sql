-- A leader's chained hash begins a block where it takes over. A venue that began to follow it, but with the last value of
-- its predecessor, took its own state for wrong and read it again. So a claim forgets that value.

-- Takes the lease if it is still as its claimant has seen it, in one statement, because trading waits for it. Returns
-- the new writer epoch; null if the lease has changed.
create or replace function claim_leadership(p_name text, p_address text, p_lease_ms integer, p_holder text, p_renewals bigint)
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
    handed_to = null, renewals = renewals + 1, renewed_at = clock_timestamp(), chain_hash = '';
  return v_epoch;
end
$$;
