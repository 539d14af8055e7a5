#!/bin/sh
# PostgreSQL's archive_command: archive-wal.sh PATH NAME, run in the data folder. Copies a finished file of the
# write-ahead log to wal-archive beside the data folder, which should be a mount of another machine. Succeeds only once
# the file is durable there; PostgreSQL keeps the file and tries again until then.
set -eu

archive=../wal-archive
# Without the folder no archive is kept. With it, an archive that is full or away stops no commit, but fills the disk.
[ -d "$archive" ] || exit 0

# The same file may come again after a crash. A different file of this name belongs to another cluster.
if [ -e "$archive/$2" ]; then exec cmp -s "$1" "$archive/$2"; fi
cp "$1" "$archive/$2.part"
sync "$archive/$2.part"
mv "$archive/$2.part" "$archive/$2"
sync "$archive"
