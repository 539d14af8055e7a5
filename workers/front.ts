// A front thread: sockets, validation, read model. Applies the events from the journal, and opens the listener once
// state, keys and market data are loaded.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import type { FixOptions } from "../src/adapters/gateway/fix/fix-listeners.ts";
import { createGateway, type Gateway } from "../src/adapters/gateway/gateway.ts";
import { readPack } from "../src/adapters/gateway/page/built-files.ts";
import type { Health } from "../src/adapters/gateway/requests/operator-routes.ts";
import { loadServerLibrary } from "../src/adapters/gateway/server/server-library.ts";
import { DevnetFaucet } from "../src/adapters/ledger/devnet-faucet.ts";
import { RegistryPayeeCheck } from "../src/adapters/ledger/payee-check.ts";
import { openPostgres } from "../src/adapters/postgres/connection.ts";
import { PostgresKeyStore } from "../src/adapters/postgres/queries/access/api-keys.ts";
import { PostgresListenKeys } from "../src/adapters/postgres/queries/access/listen-keys.ts";
import { PostgresSessions } from "../src/adapters/postgres/queries/access/wallet-sessions.ts";
import { PostgresCustodyFigures } from "../src/adapters/postgres/queries/custody/custody-figures.ts";
import {
  PostgresCustodyRepository,
  PostgresMembers,
} from "../src/adapters/postgres/queries/custody/custody-repository.ts";
import { PostgresSolvency } from "../src/adapters/postgres/queries/custody/solvency.ts";
import { PostgresHistory } from "../src/adapters/postgres/queries/history/history.ts";
import { PostgresMarketSamples } from "../src/adapters/postgres/queries/history/market-samples.ts";
import { PostgresOrderEvents } from "../src/adapters/postgres/queries/history/order-events.ts";
import { PostgresEpochAnchors } from "../src/adapters/postgres/queries/journal/epoch-anchors.ts";
import { PostgresEpochs } from "../src/adapters/postgres/queries/journal/epochs.ts";
import { PostgresLiabilities } from "../src/adapters/postgres/queries/journal/liabilities.ts";
import { PostgresTrafficReader } from "../src/adapters/postgres/queries/settlement/traffic.ts";
import { PostgresProviderRegistry } from "../src/adapters/postgres/queries/swaps/provider-registry.ts";
import { PostgresSwaps } from "../src/adapters/postgres/queries/swaps/swaps.ts";
import { isServerAway } from "../src/adapters/postgres/retryable.ts";
import { EventLoopRunner } from "../src/adapters/runtime/agent-runner.ts";
import { CommandRingSink } from "../src/adapters/runtime/command-ring-sink.ts";
import { isSoundPoint } from "../src/adapters/runtime/curve-point.ts";
import { type CommittedReader, FrontAgent } from "../src/adapters/runtime/front-agent.ts";
import { StepSink } from "../src/adapters/runtime/step-sink.ts";
import { monotonicMs } from "../src/adapters/runtime/system-clock.ts";
import { systemEntropy } from "../src/adapters/runtime/system-entropy.ts";
import { goAhead } from "../src/adapters/runtime/thread-priority.ts";
import { marketClock, venueClock } from "../src/adapters/runtime/venue-clock.ts";
import { namedRings } from "../src/adapters/runtime/venue-memory.ts";
import { WaitingSink } from "../src/adapters/runtime/waiting-sink.ts";
import { createHealth } from "../src/adapters/telemetry/health.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";
import { MachineWatch } from "../src/adapters/telemetry/machine-watch.ts";
import { MakerWatch } from "../src/adapters/telemetry/maker-watch.ts";
import { createMetricsText } from "../src/adapters/telemetry/metrics.ts";
import type { MetricsSources } from "../src/adapters/telemetry/metrics-sources.ts";
import { ownProblems } from "../src/adapters/telemetry/own-problems.ts";
import { RecentFigures } from "../src/adapters/telemetry/recent-figures.ts";
import { SafetyFigures } from "../src/adapters/telemetry/safety-figures.ts";
import { SettlementFigures } from "../src/adapters/telemetry/settlement-figures.ts";
import { present } from "../src/core/assert.ts";
import type { Command } from "../src/core/generated/commands.ts";
import { emptyReply, type Reply } from "../src/core/generated/messages.ts";
import type { RejectReason } from "../src/core/reject-reason.ts";
import type { VenueState } from "../src/engine/state/venue-state.ts";
import type { PriceSourceState } from "../src/ports/price-source.ts";
import { journalWaitMsMax } from "../src/ports/venue-problems.ts";
import { KeyUses } from "../src/services/access/key-uses.ts";
import { PublicAuthority } from "../src/services/access/public-authority.ts";
import { RateLimiter } from "../src/services/access/rate-limiter.ts";
import { SecretBox } from "../src/services/access/secret-box.ts";
import { AnswerCounts } from "../src/wire/answer-counts.ts";
import { decodeControlMessage } from "../src/wire/generated/control-messages.ts";
import { LeaseBuffer } from "../src/wire/lease-buffer.ts";
import { SpscRing } from "../src/wire/spsc-ring.ts";
import { GatewayLink } from "./gateway-link.ts";
import {
  bellOf,
  marketTable,
  mayFollow,
  openSeed,
  tellMain,
  vitalsOf,
  workerInit,
} from "./init.ts";
import { seeded } from "./seeded.ts";

/**
 * Number of intervals without a comparison of the wallets with the ledger after which the wallets' holdings count as
 * unknown. With the default settings these intervals are 90 seconds.
 */
const mirrorStaleCycles = 3;

const { library: serverLibrary } = await loadServerLibrary();
const pages = readPack(fileURLToPath(new URL("../pages.pack", import.meta.url)));
const own = await workerInit();
const { settings, memory, slots } = own;
const vitals = vitalsOf(own, { hasLoop: true });
const rings = present(memory.sources[own.index], "the rings of this front");
const log = createLog(settings.logLevel, own.name);
if (!goAhead(settings.frontAhead))
  log.debug({}, "the operating system refused a higher priority for the front thread");
const sql = openPostgres(own.connection, "queries");
const faucet = new DevnetFaucet();
const safety = new SafetyFigures(memory.safety);
const settlementFigures = new SettlementFigures(memory.settlementFigures);
const clock = venueClock(memory.clock);
const market = marketClock(memory.clock);
const link = own.isGateway ? new GatewayLink(own, rings) : { bell: bellOf(memory, slots.clearing) };
const bornMs = clock.nowMs();
const secretBox = new SecretBox(settings.masterKeys, systemEntropy);
/** What the main thread said last of the price sources. */
const heard: { priceSources: readonly PriceSourceState[] } = { priceSources: [] };
// Heard from the start: a front of a follower reads its keys' secrets only when its venue leads.
present(parentPort, "the port to the main thread").on("message", (bytes: unknown) => {
  if (!(bytes instanceof Uint8Array)) return;
  const message = decodeControlMessage(bytes);
  if (message.kind === "price-sources") heard.priceSources = message.sources;
  if (message.kind !== "master-keys") return;
  secretBox.use(message.keys);
  tellMain({ kind: "keyed", thread: own.name });
});
const traffic = new PostgresTrafficReader(sql);
/** Number of milliseconds after which the wallets' holdings count as unknown. */
const mirrorStaleMs = mirrorStaleCycles * settings.settlement.reconcileMs;
const makers = new MakerWatch({ traffic, clock, staleMs: mirrorStaleMs });
const sources: MetricsSources = {
  counters: memory.counters,
  journalFigures: memory.journalFigures,
  settlementFigures: memory.settlementFigures,
  threadFigures: memory.threadFigures,
  refusals: memory.refusals,
  answers: memory.answers,
  safety: memory.safety,
  lease: memory.lease,
  monotonicMs,
  rings: namedRings(memory, slots),
  threadNames: own.threadNames,
  front: own.name,
  dataDir: settings.dataDir,
  custody: new PostgresCustodyFigures(sql, traffic, clock),
  priceSources: () => heard.priceSources,
  makers: () => makers.latest.state,
  clock,
};
const venueMetrics = createMetricsText(sources);
const machine = new MachineWatch(sources);
const recent = new RecentFigures(sources);

/**
 * Returns whether the last complete read of the ledger is too long ago to know the wallets' holdings. Before the first
 * read, the time since this thread's start counts.
 */
function isLedgerStale(): boolean {
  if (settings.ledger.profile === "none") return false;
  const lastMs = Math.max(bornMs, settlementFigures.followedMs);
  return clock.nowMs() - lastMs > settings.settlement.staleMs;
}

const nowUs = () => clock.nowUs();
const refuse = ({ correlation }: Command, reason: RejectReason) =>
  gateway.reply({ ...emptyReply(), correlation, reason, lastSeq: 0 });

const ownHealth = createHealth(
  memory,
  clock,
  monotonicMs,
  link instanceof GatewayLink ? link : null,
);

/** A ledger that has not been read yet is starting, and one that is stale is told as such. */
function ledgerSilentMs(): number {
  const { followedMs } = settlementFigures;
  return followedMs === 0 || isLedgerStale() ? 0 : clock.nowMs() - followedMs;
}

function health(): Health {
  const shown = ownHealth();
  // What was read of the ledger cannot be stored while the journal waits, so the ledger is not the cause.
  const silentMs = shown.lagMs > journalWaitMsMax ? 0 : ledgerSilentMs();
  const told = ownProblems({
    ...{ priceSources: heard.priceSources, ledgerSilentMs: silentMs, makers: makers.latest },
    ...{ assetsAstray: safety.assetsAstray, machine: machine.sight },
    deficits: safety.deficits.map((asset) => own.assets[asset]?.code ?? String(asset)),
  });
  return { ...shown, told };
}

const sink = new WaitingSink({
  sink: new CommandRingSink(rings, link.bell, vitals.counters, false),
  counters: vitals.counters,
  nowUs,
  refuse: (command, reason) => {
    if (steps?.takesReply() !== true) refuse(command, reason);
  },
});
const { counters } = vitals;
/** Only in a venue that executes one command at a time (REW-18). */
const steps = settings.marketTime.isStepped
  ? new StepSink({ sink, counters, source: own.index, market, edgeUs: nowUs, refuse })
  : null;

/** The certificate of the FIX listeners is read here, because only this thread needs the key. */
function fixOptions({ fix }: typeof settings): FixOptions | null {
  if (fix === null) return null;
  const { tls, ...ports } = fix;
  return {
    ...ports,
    tls: tls && { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) },
  };
}

/** Creates the gateway for a state. The gateway starts to listen later. */
function openGateway(state: VenueState): Gateway {
  return createGateway({
    state,
    name: own.name,
    source: own.index,
    // Other fronts may send commands of the same account: of this venue, or of other gateways.
    isSoleFront: slots.fronts.length === 1 && slots.bus === null && !own.isGateway,
    isLedgerStale,
    isStoreAway: isServerAway,
    isStrict: settings.compatStrict,
    build: settings.build,
    sink: steps ?? sink,
    history: new PostgresHistory(sql),
    orderEvents: new PostgresOrderEvents(sql),
    samples: new PostgresMarketSamples(sql),
    keys: new PostgresKeyStore(sql),
    secretBox,
    limiterMemory: memory.limiter,
    waitingCommands: () => (link instanceof GatewayLink ? link.figures().queued : sink.waiting),
    busFigures: link instanceof GatewayLink ? link.figures : null,
    orderClaims: link instanceof GatewayLink ? link.orderClaims : null,
    trustedProxies: settings.trustedProxies,
    corsOrigins: settings.corsOrigins,
    deadlineMs: settings.gatewayTimeoutMs,
    fundingIntervalMs: settings.fundingIntervalMs,
    streams: {
      counterMemory: memory.streamConnections,
      connectionsPerAddressMax: settings.streamsPerIpMax,
      pingMs: settings.streamPingMs,
      pongTimeoutMs: settings.streamPongTimeoutMs,
      listenKeys: new PostgresListenKeys(sql),
      listenKeyMs: settings.listenKeyMs,
      entropy: systemEntropy,
    },
    // The listeners of the venue are on one front: sessions of one account are compared with each other.
    fix: own.index === 0 ? fixOptions(settings) : null,
    native: {
      sessions: new PostgresSessions(sql),
      ...{ epochs: new PostgresEpochs(sql), anchors: new PostgresEpochAnchors(sql) },
      liabilities: new PostgresLiabilities(sql),
      members: new PostgresMembers(sql),
      custody: new PostgresCustodyRepository(sql),
      solvency: new PostgresSolvency(sql),
      faucet,
      swaps: {
        store: new PostgresSwaps(sql),
        times: settings.swaps,
        ...{ prepareMs: settings.swapPrepareMs, fundsMs: settings.swapFundsMs },
      },
      authority: new PublicAuthority(settings.publicUrl),
      traffic,
      mirrorStaleMs,
      houseFillsPerDay: settings.houseFillsPerDay,
      payees: new RegistryPayeeCheck(settings.withdrawalTimeoutMs, () => clock.nowMs()),
      providers: new PostgresProviderRegistry(sql),
      withdrawalTimeoutMs: settings.withdrawalTimeoutMs,
      quoteMaxAgeMs: settings.quoteMaxAgeMs,
      hasLedger: settings.ledger.profile !== "none",
      nonceKey: settings.nonceKey,
      entropy: systemEntropy,
      challengeMs: settings.challengeMs,
      sessionMs: settings.sessionMs,
      accountsPerNetwork: settings.accountsPerNetwork,
      devTools: settings.devTools,
      isSoundPoint,
    },
    ...{ pages, serverLibrary, clock, marketClock: market },
    log,
    ...{ health, recent, answers: AnswerCounts.rowOf(memory.answers, own.index) },
    venueMetrics,
    catchUp: () => {
      agent.catchUp();
      runner.attend();
    },
  });
}

const { opened } = await seeded({
  follows: mayFollow(own),
  open: (bytes) => openSeed(bytes, marketTable(own), { remembersClientIds: false }),
  build: (state) => ({ gateway: openGateway(state), seq: state.seq, keys: state.keys }),
  discard: (replaced) => replaced.gateway.close(),
});
const { gateway, seq, keys } = opened;
const committed = new SpscRing(rings.committed);

/** Lets replies to the barriers of `steps` end there; all others are the gateway's. */
function readerOf(reader: Gateway): CommittedReader {
  if (steps === null) return reader;
  const reply = (one: Reply) => {
    if (!steps.takesReply()) reader.reply(one);
  };
  return { fold: (event) => reader.fold(event), reply };
}
const lease = new LeaseBuffer(memory.lease);
const agent = new FrontAgent({
  ...{ roleName: own.name, ring: committed, reader: readerOf(gateway), counters, seq },
  mayAcknowledge: () => lease.mayAcknowledge(monotonicMs()),
});
/**
 * Functions to call when this thread ends. The list grows as parts start, because the thread may end before all have
 * started.
 */
const closing = [() => gateway.close()];
// The server's sockets must be closed before this thread ends: a thread that leaves event loop handles open makes the
// runtime abort the whole process, and the reason would be lost.
process.on("uncaughtException", (error) => {
  log.error({ err: error }, "the front thread failed");
  leave(1);
});
await gateway.prepare();
const runner = new EventLoopRunner(agent, vitals, () => gateway.isAwaited);
closing.push(() => runner.close());
if (link instanceof GatewayLink) {
  closing.push(() => link.close());
  const wake = () => runner.poke();
  await link.follow({ agent, gateway, wake, seq, clock, ledger: settlementFigures, vitals, log });
}
/** The limiter's memory is that of all fronts of this process, so one of them writes what it counts. */
const keyUses =
  own.index === 0
    ? new KeyUses({
        limiter: new RateLimiter(memory.limiter),
        keyIds: () => keys.ids(),
        store: new PostgresKeyStore(sql),
        nowMs: () => clock.nowMs(),
      })
    : null;
/** Maximum time in milliseconds that a stop waits until the last uses of keys are stored. */
const keepUsesMs = 1_000;
const started = new Promise<void>((resolve) => {
  present(parentPort, "the port to the main thread").on("message", (bytes: Uint8Array) => {
    const message = decodeControlMessage(bytes);
    const { kind } = message;
    if (kind === "start") resolve();
    else if (kind === "ledger") faucet.reach(message.endpoint);
    else if (kind === "drain") {
      void Promise.all([gateway.drain(), keepUses()]).then(() =>
        tellMain({ kind: "drained", thread: own.name }),
      );
    } else if (kind === "stop") leave(0);
  });
});
tellMain({ kind: "ready", thread: own.name });
// A request that one front serves may change data that another front is still loading, so no front opens before all of
// them are prepared.
await started;
keyUses?.start();
for (const watch of [machine, recent]) {
  watch.start();
  closing.push(() => watch.close());
}
if (settings.ledger.profile !== "none") {
  makers.start();
  closing.push(() => makers.close());
}
await gateway.listen(settings.host, settings.port);
tellMain({ kind: "ready", thread: own.name });

/** Keeps the last uses of keys when the venue stops in order, unless the database is away. */
async function keepUses(): Promise<void> {
  keyUses?.close();
  await Promise.race([keyUses?.write(), sleep(keepUsesMs)]);
}

function leave(code: number): void {
  for (const close of closing) close();
  void sql.end({ timeout: 1 }).then(() => process.exit(code));
}
