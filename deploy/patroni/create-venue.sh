#!/bin/sh
# Run once by Patroni on the first primary, with the superuser's connection string: creates the venue's login and its
# database. RIALTO_DB_PASSWORD is the login's password.
set -eu

# The setting ends with the session: there is no standby yet that could confirm these statements.
PGOPTIONS='-c synchronous_commit=local' psql -qX -v ON_ERROR_STOP=1 -v password="$RIALTO_DB_PASSWORD" -d "$1" <<'SQL'
create role rialto_venue nologin;
create role rialto login password :'password' in role rialto_venue;
create database rialto owner rialto template template0 encoding 'UTF8' locale 'C';
SQL
