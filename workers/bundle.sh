#!/bin/sh
# Bundles to dist/bundle what runs as a process or thread of its own (docs/decisions/0012, 0022): names as
# in the sources, since threads are started by the path from one to the other.
#
# The threads of the order path are bundled each for itself, as are the benchmarks of the engine, so that
# what they measure is what runs. What is in one file and never assigned again is a constant to the
# compiler of the engine; what another file exports is looked up at each use.
set -eu
cd "$(dirname "$0")/.."
rm -rf dist/bundle

bundle() {
	node_modules/.bin/esbuild "$@" --outdir=dist/bundle --chunk-names=src/chunks/[name]-[hash] --bundle \
		--splitting --format=esm --platform=node --target=node20 --sourcemap --log-level=warning \
		--external:uWebSockets.js --external:uws-pack --external:embedded-postgres --external:piscina --external:prom-client \
		--external:pg-native --external:nodejs-order-book \
		--banner:js="import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"
}

threads=$(for name in journal settlement devnet-ledger tasks/fold-snapshot tasks/seal-epochs tasks/check-epochs; do
	echo "workers/$name=workers/$name.ts"
done)
# shellcheck disable=SC2086 # one word a thread
bundle src/venue/rialto=src/venue/cli/main.ts $threads
for alone in workers/clearing workers/matcher workers/front \
	bench/micro/order-book.bench bench/micro/price-paths.bench bench/micro/price-scenarios.bench bench/micro/venue-machine.bench; do
	bundle "$alone=$alone.ts"
done

# The bundler writes `var` for every declaration at the top of a module, and a function's name may be
# assigned as well. Ours are all constants, which test/tidy.test.ts holds; those of libraries are left
# alone. Functions of the engine become constants where it runs: none there is called before its line.
find dist/bundle -name '*.js' | while read -r file; do
	runs=0
	case $file in */clearing.js | */matcher.js | */bench/micro/*) runs=1 ;; esac
	awk -v runs=$runs '/^\/\/ /{ own = /^\/\/ (src|workers|schemas|bench|test)\//; engine = runs && /^\/\/ src\/(core|engine)\// }
		own && /^var [A-Za-z0-9_$]+ = /{ sub(/^var/, "const") }
		engine && /^function [A-Za-z0-9_$]+\(/{
			name = $2; sub(/\(.*/, "", name); sub(/^function [A-Za-z0-9_$]+/, "const " name " = function")
		} { print }' "$file" >"$file.tmp"
	mv "$file.tmp" "$file"
done

# What the engine's compiler would put in place if it had no bound is put there before (docs/decisions/0022).
for alone in workers/clearing workers/matcher bench/micro/order-book.bench bench/micro/price-paths.bench bench/micro/price-scenarios.bench bench/micro/venue-machine.bench; do
	node dist/workers/expand-bundle.js "dist/bundle/$alone.js"
done

# The terminal lies beside the threads that serve it, as it does beside those that were not bundled.
cp -r dist/pages dist/bundle/pages
