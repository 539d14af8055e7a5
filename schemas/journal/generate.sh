#!/bin/sh
# Regenerates schemas/journal/generated from event.fbs with flatc (Debian: flatbuffers-compiler).
# Imports get the .ts ending that this project compiles with.
set -eu
cd "$(dirname "$0")"
command -v flatc >/dev/null || { echo "flatc is missing: apt-get install flatbuffers-compiler" >&2; exit 1; }
rm -rf generated
flatc --ts -o generated event.fbs
rm generated/event_generated.ts # re-exports the header alone: nothing refers to it
find generated -name '*.ts' -exec sed -i -E "s#from '(\.[^']*)'#from '\1.ts'#" {} +
