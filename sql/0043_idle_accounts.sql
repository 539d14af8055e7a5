-- Accounts that never held money are closed and their users forgotten: whoever comes back with the key is new.

do $$
begin
  if exists (select from pg_roles where rolname = 'rialto_venue') then
    grant delete on wallet_users to rialto_venue;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
