-- The role the venue's sessions take on where the login may do so: it can add to the journal but
-- neither change nor empty it, and cannot remove the trigger that refuses both. On a server whose
-- login may not create roles the trigger stands alone.

do $$
begin
  begin
    create role rialto_venue nologin;
  exception
    -- Another database of this server has made it already, or the login may not.
    when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  if not exists (select from pg_roles where rolname = 'rialto_venue') then
    return;
  end if;
  begin
    execute format('grant rialto_venue to %I', session_user);
  exception
    when insufficient_privilege then null;
  end;

  grant usage on schema public to rialto_venue;
  grant select on all tables in schema public to rialto_venue;
  grant insert on journal to rialto_venue;
  grant update on journal_head, markets to rialto_venue;
  grant insert, update on accounts, balances, positions, api_keys, orders, candles to rialto_venue;
  grant insert on fills to rialto_venue;
  grant usage on sequence api_key_ids to rialto_venue;
  grant insert, update, delete on snapshots, snapshot_parts to rialto_venue;
end
$$;
