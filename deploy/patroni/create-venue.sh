#!/bin/sh
# Run once by Patroni on the first primary, with the superuser's connection string: creates the venue's database,
# its owner, and the login of the gateways, which reads everything and writes nothing. The passwords of the two logins
# are RIALTO_DB_PASSWORD and RIALTO_GATEWAY_DB_PASSWORD.
set -eu

# The setting ends with the session: there is no standby yet that could confirm these statements.
PGOPTIONS='-c synchronous_commit=local' psql -qX -v ON_ERROR_STOP=1 -d "$1" \
  -v password="$RIALTO_DB_PASSWORD" -v gateway_password="$RIALTO_GATEWAY_DB_PASSWORD" <<'SQL'
create role rialto_venue nologin;
create role rialto login password :'password' in role rialto_venue;
create role rialto_gateway login password :'gateway_password' in role pg_read_all_data;
create database rialto owner rialto template template0 encoding 'UTF8' locale 'C';
SQL
