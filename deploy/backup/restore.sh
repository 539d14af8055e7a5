#!/bin/sh
# Restores a base backup: restore.sh BACKUP ARCHIVE FOLDER [TIME]. Copies BACKUP to FOLDER, which must not exist,
# replays the write-ahead log from ARCHIVE up to TIME (such as "2026-11-24 18:00:00.5+00"; without it, to the end), and
# leaves a server running that listens only on a socket in FOLDER. `pg_ctl -D FOLDER stop` ends it. Run it as the user
# that is to own the data, not as root.
set -eu
backup=$1 archive=$2 folder=$3 time=${4:-}

[ ! -e "$folder" ] || { echo "$folder exists" >&2; exit 2; }
cp -a "$backup" "$folder"
chmod 0700 "$folder"
rm -f "$folder/standby.signal" "$folder/postgresql.auto.conf"
# Patroni writes both files anew when it takes the folder over.
echo "local all all trust" >"$folder/pg_hba.conf"
cat >"$folder/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder'
unix_socket_permissions = 0700
max_connections = 100
max_wal_senders = 10
max_replication_slots = 10
wal_log_hints = on
archive_mode = off
synchronous_standby_names = ''
restore_command = 'cp "$archive/%f" "%p"'
CONF
[ -z "$time" ] || cat >>"$folder/postgresql.conf" <<CONF
recovery_target_time = '$time'
recovery_target_action = promote
CONF
touch "$folder/recovery.signal"

pg_ctl -D "$folder" -l "$folder/restore.log" --wait --timeout=3600 start >/dev/null || {
  cat "$folder/restore.log" >&2
  exit 1
}
# The server answers reads while it replays; it takes writes when it is at TIME.
while [ "$(psql -qXAt -h "$folder" -U postgres -c 'select pg_is_in_recovery()')" = t ]; do
  pg_ctl -D "$folder" status >/dev/null || { cat "$folder/restore.log" >&2; exit 1; }
  sleep 0.2
done
echo "restored to ${time:-the end of the log}: postgres://rialto@$(printf %s "$folder" | sed 's|/|%2F|g')/rialto"
