# Rialto's tasks. Everything compiles to dist/ and runs from there. `make` without a target lists the tasks.

.DEFAULT_GOAL := help
.PHONY: help toolchain install build built-commit check machine test test-node22 slow fuzz screenshots bench profile bench-table soak load run coverage ci clean
MAKEFLAGS += --no-print-directory

NODE := node --enable-source-maps
CLI := $(NODE) dist/bundle/src/venue/rialto.js
BIN := node_modules/.bin

# The HTTP server has binaries for Node.js 20 to 22. If a newer Node.js is on the PATH, all tasks run on Node.js 22
# from its npm package instead (docs/decisions/0050).
PLATFORM := $(shell node -p 'process.platform + "-" + process.arch' 2>/dev/null)
NODE_MAJOR := $(shell node -p 'parseInt(process.versions.node, 10)' 2>/dev/null)
NODE22 := node_modules/.node22
NODE22_BIN := $(CURDIR)/$(NODE22)/node_modules/node-$(PLATFORM)/bin
ifeq ($(shell test "$(NODE_MAJOR)" -gt 22 2>/dev/null && echo newer),newer)
RUNTIME := $(NODE22_BIN)/node
NODE_MAJOR := 22
export PATH := $(NODE22_BIN):$(PATH)
endif

# The installed packages contain the HTTP server's binary for one version of Node.js, so the mark names the version.
INSTALLED := node_modules/.installed-$(NODE_MAJOR)

# Options of a task, as in `make test ONLY=matching` and `make load ARGS="--rate 2000"`.
ONLY ?=
ARGS ?=

help: ## print this list
	@echo "Rialto. 'make run' starts a venue, 'make test' checks and tests the tree; both do all set-up first."
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) \
		| awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

toolchain: $(RUNTIME)
	@command -v node >/dev/null 2>&1 || { \
		echo "Rialto needs Node.js 20.19 or newer, and no 'node' is on the PATH. See nodejs.org/en/download." >&2; \
		exit 1; }
	@command -v npm >/dev/null 2>&1 || { \
		echo "Rialto needs npm, which comes with Node.js but is not on the PATH." >&2; exit 1; }
	@node -e 'process.exit(/^(1?[0-9]|20[.]([0-9]|1[0-8]))[.]/.test(process.versions.node) ? 1 : 0)' || { \
		echo "Rialto needs Node.js 20.19 or newer; this is $$(node --version) at $$(command -v node)." >&2; \
		exit 1; }

# npm reports only errors, because its one warning is uws-pack's engine range (docs/decisions/0010).
$(INSTALLED): package.json package-lock.json | toolchain
	@echo "fetching the dependencies"
	@npm install --no-audit --no-fund --loglevel=error
	@rm -f node_modules/.installed-*; touch $@

install: $(INSTALLED) ## fetch the dependencies if package.json or the lock file changed

# Types, codecs and bodies of all records are generated from the tables of records before anything is compiled
# (docs/decisions/0059).
RECORDS := src/core/generated/events.ts
$(RECORDS): $(wildcard schemas/records/*.ts schemas/sbe/*.ts schemas/generate/*.ts) | $(INSTALLED)
	@echo "records: types and codecs from schemas/records and schemas/sbe"
	@mkdir -p dist
	@$(BIN)/esbuild schemas/generate/main.ts --bundle --platform=node --format=esm --outfile=dist/generate-records.mjs --log-level=warning
	@node dist/generate-records.mjs

# Sources are compiled only after a change, so `make run` on a built tree starts at once. Folders are among the
# sources, because deleting a file changes only its folder. tsc does not delete the output of a deleted file, so the
# recipe does: no test may find it.
SOURCES := $(shell find src workers schemas bench test sql -mindepth 1 -not -name '*.md' -not -path 'bench/results*') tsconfig.json package-lock.json
BUILT := dist/.built
build: $(BUILT) built-commit ## compile everything to dist/
$(BUILT): $(SOURCES) $(INSTALLED) $(RECORDS) dist/pages/index.html
	@if [ -d dist ]; then find dist \( -path dist/bundle -o -path dist/pages \) -prune -o -name '*.js' -type f -print | while read -r built; do \
		source="$${built#dist/}"; source="$${source%.js}.ts"; \
		[ -e "$$source" ] || rm -f "$$built" "$$built.map"; done; fi
	@rm -f $@
	@echo "compiling the venue"
	@$(BIN)/tsc
	@echo "bundling its threads"
	@rm -rf dist/bundle; $(BIN)/rolldown -c workers/bundle.config.ts >/dev/null
	@node dist/workers/loading/write-caches.js dist/bundle
	@node dist/workers/pack-pages.js dist/pages dist/bundle/pages.pack
	@touch $@

# The documents of routes and streams are generated from their declarations (docs/decisions/0056). A document is
# written only if its text changed, so that the pages are not built again for every change of a handler.
DOCUMENTS := dist/reference/openapi.json dist/reference/asyncapi.json
DECLARED := $(shell find src/adapters/gateway src/core schemas/http schemas/streams -name '*.ts' -not -name '*.test.ts') workers/documents.ts
dist/.documents: $(DECLARED) $(RECORDS) | $(INSTALLED)
	@echo "documents of the routes and the streams"
	@$(BIN)/esbuild workers/documents.ts --bundle --platform=node --format=esm --outfile=dist/write-documents.mjs --log-level=warning
	@node dist/write-documents.mjs dist/reference
	@touch $@
$(DOCUMENTS): dist/.documents ;

# The commit of what is built, which the program shows; none if the tree has changes or is in no repository of its own.
built-commit:
	@mkdir -p dist; { git ls-files --error-unmatch Makefile && git diff --quiet HEAD && git rev-parse HEAD; } 2>/dev/null \
		| tail -n 1 | grep -E '^[0-9a-f]{40}$$' > dist/commit || :

# The pages are built only if one of their sources changed, because their bundler is the slowest part of a build. The
# verifier that is one file is served with them, unminified, because its users should read it.
VERIFIER := $(addprefix src/services/epochs/,proof-verifier.ts liability-verifier.ts leaves-verifier.ts stated-asset.ts) $(wildcard src/tools/verifier/*.ts)
WEB := $(shell find web docs -type f) $(wildcard *.md) src/core/assert.ts src/core/ids/public-id.ts $(VERIFIER) src/services/access/login-text.ts $(wildcard src/services/swaps/prepared-*.ts) src/services/swaps/known-network.ts schemas/streams/payloads.ts $(wildcard schemas/http/generated/*.json) package-lock.json
dist/pages/index.html: $(WEB) $(DOCUMENTS) | $(INSTALLED) $(RECORDS)
	@echo "building the pages of the terminal and the documentation"
	@$(BIN)/tsc -p web
	@$(BIN)/vite build web --logLevel warn || { rm -f $@; exit 1; }
	@$(BIN)/rolldown src/tools/verifier/main.ts --file dist/pages/verify.mjs --format esm --platform node >/dev/null || { rm -f $@; exit 1; }

check: build ## check format, lint, types and unused code
	@$(BIN)/biome ci --error-on-warnings .
	@$(BIN)/knip --no-gitignore

# The tests of the terminal need a browser, the test of the proxy configuration needs nginx, and the tests of
# exported journals need the compiler of FlatBuffers, and those of gateways a NATS server. On Debian they are installed
# here; elsewhere the tests report which program is missing. A download that fails is repeated, and a lock of another
# installation is waited for. Tests of a cluster install its servers themselves (test/support/cluster/programs.ts).
APT := apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120
machine:
	@{ { command -v chromium || command -v google-chrome || [ -n "$(CHROMIUM)" ]; } >/dev/null \
		&& [ -x /usr/sbin/nginx ] && [ -x /usr/sbin/nats-server ] && command -v flatc >/dev/null; } \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "installing Debian's chromium, nginx, nats-server and flatc" \
			&& $(APT) update && DEBIAN_FRONTEND=noninteractive \
			$(APT) install -y --no-install-recommends chromium nginx-light nats-server flatbuffers-compiler >/dev/null; } || true

test: check machine ## check, then run every test except the slow ones (ONLY=part-of-a-path)
	@$(NODE) dist/test/support/run-tests.js normal $(ONLY)

# Node.js 22 and the HTTP server's binary for it come from npm, in a folder beside the project's dependencies. If the
# newer server has no binary for this system, the older server stays in use.
SERVER := $(shell sed -n 's/.*@uwsjs.core@\([0-9.]*\)".*/\1/p' package.json)
$(NODE22_BIN)/node:
	npm install --prefix $(NODE22) --no-audit --no-fund --loglevel=error node-$(PLATFORM)@22
	-@npm install --prefix $(NODE22) --no-audit --no-fund --loglevel=silent --force @uwsjs/$(PLATFORM)-22@$(SERVER)

test-node22: build $(NODE22_BIN)/node ## run the tests on Node.js 22 (ONLY=part-of-a-path)
	@PATH="$(NODE22_BIN):$$PATH" NODE_PATH="$(CURDIR)/$(NODE22)/node_modules" \
		$(NODE) dist/test/support/run-tests.js normal $(ONLY)

slow: build machine ## run the slow tests: crash, differential, long model runs, all tests on Node.js 22 (ONLY=part-of-a-path)
	@$(NODE) dist/test/support/run-tests.js slow $(ONLY)
	@[ -n "$(ONLY)" ] || $(MAKE) test-node22

# Fuzzes each property for FUZZ_SECONDS (60). FUZZ_SEED repeats a failed run with the seed that it printed.
fuzz: build ## fuzz each property for FUZZ_SECONDS (60) from a seed that is printed (ONLY=part-of-a-path)
	@export FUZZ_SECONDS="$${FUZZ_SECONDS:-60}" FUZZ_SEED="$${FUZZ_SEED:-$$(date +%s)}"; \
		echo "seed $$FUZZ_SEED, $$FUZZ_SECONDS s a property"; \
		exec $(NODE) dist/test/support/run-tests.js fuzz $(ONLY)

screenshots: build machine ## take pictures of every view of the terminal, in coverage/screenshots
	@$(NODE) dist/test/web/screenshots.js

bench: build ## measure the table of goals and baselines on this machine
	@node dist/bench/run.js $(ARGS)

PROFILE := $(CURDIR)/coverage/profile
profile: build ## processor time of a bench row by thread and function (ARGS=P7)
	@rm -rf $(PROFILE)
	@node --cpu-prof --cpu-prof-dir=$(PROFILE) dist/bench/run.js $(ARGS); status=$$?; \
		node dist/bench/profile.js $(PROFILE) && exit $$status

bench-table: build ## print the table of goals as last measured and write it into docs/internals/performance.md
	@node dist/bench/table.js

soak: build ## run at half the maximum load for SOAK_SECONDS (1800): memory and delays must not grow
	@node dist/bench/run.js K1

load: build ## send signed orders at a steady rate to a running venue (ARGS="--help")
	@$(CLI) load $(ARGS)

run: build ## start a venue on embedded defaults; Ctrl-C stops it
	@MALLOC_MMAP_THRESHOLD_=131072 DEV_FLEET="$${DEV_FLEET-1}" exec $(CLI) start $(ARGS)

# Coverage is measured for core and engine only; the code around them is tested from outside, over sockets and by
# kills. The bytes of epochs are tested by published vectors. Files that contain only types never run, so .c8rc.json
# leaves them out.
COVERING := src/core src/engine test/model epochs/vectors epochs/body-names epochs/event-bodies
coverage: build ## measure covered lines and branches of src/core and src/engine (at least 95 %)
	@$(BIN)/c8 $(NODE) dist/test/support/run-tests.js normal $(COVERING)

ci: test ## run what .ci/run runs

clean: ## remove everything that the build created
	rm -rf dist coverage src/core/generated src/wire/generated src/engine/epochs/generated src/adapters/gateway/sbe/generated schemas/journal/generated
