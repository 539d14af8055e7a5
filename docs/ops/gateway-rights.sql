-- What the database login of gateways may do: read everything, and write the rows that fronts write. It cannot write the
-- journal, orders, balances or settlement. Run it in the venue's database as the owner of its tables, with the name of
-- the login, which must exist: psql -v gateway=rialto_gateway -f gateway-rights.sql
grant connect on database :"DBNAME" to :"gateway";
grant usage on schema public to :"gateway";
grant select on all tables in schema public to :"gateway";
grant usage on all sequences in schema public to :"gateway";
grant insert, update on api_keys to :"gateway";
grant insert, update, delete on listen_keys to :"gateway";
grant insert, delete on wallet_challenges, wallet_sessions, wallet_users to :"gateway";
grant insert, update, delete on withdrawals to :"gateway";
grant insert, update on swaps, swap_quotes, swap_moves, swap_notices, swap_contracts to :"gateway";
grant insert, update, delete on liquidity_providers, liquidity_provider_keys,
  liquidity_provider_nonces to :"gateway";
