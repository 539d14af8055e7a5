#!/bin/sh
# Copies the whole database while it runs: base-backup.sh CONNECTION FOLDER. CONNECTION is a libpq string of the
# replication login on any node; a standby spares the primary. FOLDER must not exist. The copy gets its name only when
# its checksums have been verified.
set -eu

pg_basebackup --dbname="$1" --pgdata="$2.part" --checkpoint=fast --wal-method=stream --no-password
pg_verifybackup --quiet "$2.part"
mv "$2.part" "$2"
