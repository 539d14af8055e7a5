// The settlement thread: batches, wallets and the anchoring of epochs, in SQL and on the ledger. It changes balances
// only through commands to clearing. It starts working when the main thread sends the ledger's endpoint.
//
//   start ──ledger──▶ running ──drain──▶ drained ──stop──▶ closed

import { randomUUID } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { DevnetAdmin } from "../src/adapters/ledger/devnet-admin.ts";
import { openNetwork, openSwapLedger } from "../src/adapters/ledger/open-network.ts";
import { rangesHold } from "../src/adapters/network/address-ranges.ts";
import { specialAddresses } from "../src/adapters/network/special-addresses.ts";
import { openPostgres, type Sql } from "../src/adapters/postgres/connection.ts";
import { listenTo } from "../src/adapters/postgres/notices.ts";
import { readAccount } from "../src/adapters/postgres/queries/access/accounts.ts";
import { PostgresCustody } from "../src/adapters/postgres/queries/custody/custody.ts";
import {
  creditSeqOf,
  depositKeyOf,
  isInJournal,
} from "../src/adapters/postgres/queries/custody/deposit-keys.ts";
import { PostgresPayments } from "../src/adapters/postgres/queries/custody/payments.ts";
import { PostgresEpochAnchors } from "../src/adapters/postgres/queries/journal/epoch-anchors.ts";
import {
  PostgresSettledCoins,
  releasesInJournal,
} from "../src/adapters/postgres/queries/settlement/settled-coins.ts";
import { PostgresSettlement } from "../src/adapters/postgres/queries/settlement/settlement.ts";
import { PostgresTrafficStore } from "../src/adapters/postgres/queries/settlement/traffic.ts";
import { PostgresProviderRepository } from "../src/adapters/postgres/queries/swaps/provider-repository.ts";
import { PostgresSigningKeys } from "../src/adapters/postgres/queries/swaps/signing-keys.ts";
import { swapChannel } from "../src/adapters/postgres/queries/swaps/swap-changes.ts";
import { PostgresSwaps } from "../src/adapters/postgres/queries/swaps/swaps.ts";
import { HttpLiquidityProviders } from "../src/adapters/providers/http-liquidity-providers.ts";
import { EventLoopRunner } from "../src/adapters/runtime/agent-runner.ts";
import { CommandRingSink } from "../src/adapters/runtime/command-ring-sink.ts";
import { RingClearingClient } from "../src/adapters/runtime/ring-clearing-client.ts";
import { systemEntropy } from "../src/adapters/runtime/system-entropy.ts";
import { marketClock, venueClock } from "../src/adapters/runtime/venue-clock.ts";
import { clearingClientSources } from "../src/adapters/runtime/venue-memory.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";
import { SafetyFigures } from "../src/adapters/telemetry/safety-figures.ts";
import { SettlementFigures } from "../src/adapters/telemetry/settlement-figures.ts";
import { isCustomerType } from "../src/core/accounts.ts";
import { present } from "../src/core/assert.ts";
import type { MarketTable } from "../src/core/markets.ts";
import type { LedgerNetwork } from "../src/ports/ledger/ledger.ts";
import type { LedgerEndpoint } from "../src/ports/ledger/ledger-endpoint.ts";
import { SecretBox } from "../src/services/access/secret-box.ts";
import { VenueSigner } from "../src/services/access/venue-signer.ts";
import { EpochAnchoring } from "../src/services/epochs/epoch-anchoring.ts";
import { chooseCoins } from "../src/services/settlement/batches/coin-choice.ts";
import { ChangeWatch } from "../src/services/settlement/change-watch.ts";
import { CustodyLoop } from "../src/services/settlement/custody/custody-loop.ts";
import { TrafficMeter } from "../src/services/settlement/custody/traffic-meter.ts";
import { createMirrorService } from "../src/services/settlement/mirror/mirror-service.ts";
import { retryDelayMs } from "../src/services/settlement/retry-delay.ts";
import { SettlementLoop, settlementCallNames } from "../src/services/settlement/settlement-loop.ts";
import { byAsset } from "../src/services/settlement/settlement-parts.ts";
import { runSwaps, swapCalls } from "../src/services/swaps/swap-execution.ts";
import type { SwapExecutorParts } from "../src/services/swaps/swap-executor.ts";
import type { SwapLoop } from "../src/services/swaps/swap-loop.ts";
import { decodeControlMessage } from "../src/wire/generated/control-messages.ts";
import { SpscRing } from "../src/wire/spsc-ring.ts";
import { bellOf, marketTable, tellMain, vitalsOf, workerInit } from "./init.ts";

/** The venue's own commands may wait longer than a customer's. */
const clearingDeadlineMs = 60_000;

const own = await workerInit();
const { settings, memory, slots } = own;
const vitals = vitalsOf(own, { hasLoop: true });
const log = createLog(settings.logLevel, own.name);
const clock = venueClock(memory.clock);
const now = () => clock.nowMs();
const timed = { now, log };
const sql = openPostgres(own.connection, "queries");
const secretBox = new SecretBox(settings.masterKeys, systemEntropy);
const swapStore = new PostgresSwaps(sql);
const { settlement: source } = clearingClientSources(memory);
const rings = present(memory.sources[source], "the rings of the settlement thread");
const clearing = new RingClearingClient({
  name: own.name,
  source,
  sink: new CommandRingSink(rings, bellOf(memory, slots.clearing), vitals.counters, true),
  replies: new SpscRing(rings.committed),
  clock,
  market: marketClock(memory.clock),
  deadlineMs: clearingDeadlineMs,
});
const figures = new SettlementFigures(memory.settlementFigures);
const safety = new SafetyFigures(memory.safety);
const runner = new EventLoopRunner(clearing, vitals);
/** The ledger's current URLs, which change if it restarts at another address. */
const address = { url: "" };
const adminAddress = { url: "" };

interface Running {
  readonly loop: SettlementLoop;
  readonly watch: ChangeWatch;
  readonly custody: CustodyLoop;
  readonly anchoring: EpochAnchoring;
  readonly providers: HttpLiquidityProviders;
  readonly swaps: SwapLoop;
}

function run({ network: endpoint, instruments, admin }: LedgerEndpoint): Running {
  const table = marketTable(own);
  const network = openNetwork(endpoint, now, address);
  const devnetAdmin = admin === null ? null : new DevnetAdmin(adminAddress, admin.token);
  const committedSeq = () => vitals.counters.committedSeq();
  const { pollMs } = settings.settlement;
  const custodyStore = new PostgresCustody(sql);
  const traffic = meterOf(network, devnetAdmin);
  const loop = new SettlementLoop({
    settings: settings.settlement,
    store: new PostgresSettlement(sql),
    coins: new PostgresSettledCoins(sql),
    network,
    instruments: new Map(instruments),
    hostWallet: async (party) => devnetAdmin?.host(party),
    clearing: mirrorServiceOf(table, committedSeq),
    table,
    report: (backlog, retries) => figures.store(backlog, retries),
    followed: (nowMs) => figures.followed(nowMs),
    audited: (coinsAstray) => figures.audited(coinsAstray),
    isTrafficScarce: () => traffic.isScarce,
    accountType: async (account) => (await readAccount(sql, account))?.type ?? null,
    ...timed,
  });
  const anchoring = anchoringOn(network, endpoint.profile);
  const custody = new CustodyLoop({
    pollMs,
    quoteMaxAgeMs: settings.quoteMaxAgeMs,
    store: custodyStore,
    withdrawals: new PostgresPayments(sql, "withdrawal"),
    returns: new PostgresPayments(sql, "return"),
    network,
    table,
    instruments: byAsset(table, new Map(instruments)),
    registryOf: ({ admin: issuer }) => new Map(endpoint.registries).get(issuer) ?? address.url,
    clearing,
    committedSeq,
    isCustomer: (account) => isCustomer(sql, account),
    keyOf: depositKeyOf,
    creditSeqOf: (deposit) => creditSeqOf(sql, deposit, depositKeyOf(deposit)),
    exclusively: (step) => loop.exclusively(step),
    newId: randomUUID,
    // Minimum number of holdings per asset: one for each batch in flight, one for a withdrawal, one spare.
    coinsMin: settings.settlement.workers + 2,
    traffic,
    ...timed,
  });
  const watch = new ChangeWatch({
    ...{ pollMs, committedSeq },
    ledgerEnd: () => network.ledgerEnd(),
    hasOpenPayments: () => custodyStore.hasOpenPayments(),
    looked: (hasChanged) => {
      loop.looked(hasChanged);
      custody.looked(hasChanged);
    },
  });
  const providers = openProviders(table);
  const swaps = runSwaps({
    settings: settings.swaps,
    store: swapStore,
    ledger: openSwapLedger(endpoint, now, address),
    providers,
    clearing,
    table,
    instruments: byAsset(table, new Map(instruments)),
    tagKey: settings.nonceKey,
    hostSigner: async (party, key) => devnetAdmin?.hostSigner(party, key),
    chooseCoins: chooseSwapCoins,
    retryDelayMs: (refusals) => retryDelayMs(refusals, Math.random(), true),
    onMemberLocked: () => loop.wake(),
    newId: randomUUID,
    ...timed,
  });
  held.stopListening = listen(swaps);
  return { loop, watch, anchoring, custody, providers, swaps };
}

function anchoringOn(network: LedgerNetwork, networkName: string): EpochAnchoring {
  return new EpochAnchoring({
    ...{ venueName: settings.venueName, networkName, network, clock, log },
    anchors: new PostgresEpochAnchors(sql),
    sealedEpoch: () => safety.sealedEpoch,
    confirmed: (epoch) => safety.confirmed(epoch),
  });
}

/** Chooses coins of one owner for a swap. */
const chooseSwapCoins: SwapExecutorParts["chooseCoins"] = (coins, units) =>
  chooseCoins(
    coins.map((coin) => ({ ...coin, party: coin.owner, asset: 0 })),
    units,
  );

/** Returns whether a deposit can be credited to the account: it belongs to a customer and is not closed. */
async function isCustomer(sql: Sql, account: number): Promise<boolean> {
  const row = await readAccount(sql, account);
  return row !== null && isCustomerType(row.type);
}

/** Measures traffic if the ledger reports it, as a devnet does through its admin API. */
function meterOf(network: LedgerNetwork, devnetAdmin: DevnetAdmin | null): TrafficMeter {
  return new TrafficMeter({
    store: new PostgresTrafficStore(sql),
    network,
    source: { measure: async () => (await devnetAdmin?.traffic()) ?? null },
    now,
  });
}

/**
 * Creates the service that credits holdings on the ledger: it sends commands to clearing and finds their effects in the
 * journal.
 */
function mirrorServiceOf(table: MarketTable, committedSeq: () => number) {
  return createMirrorService({
    clearing,
    table,
    committedSeq,
    wasCredited: (credit) => isInJournal(sql, credit),
    releasesDone: (releases) => releasesInJournal(sql, releases),
  });
}

/** Receives database notifications of changed swaps; without them the loop finds changes in its next cycle. */
function listen(swaps: SwapLoop): () => Promise<void> {
  return listenTo(own.connection, {
    channel: swapChannel,
    hear: () => swaps.wake(),
    listening: () => swaps.notified(true),
    lost: (err) => {
      swaps.notified(false);
      log.warn(
        { err },
        "swap notifications are unavailable: changes are picked up in the next cycle",
      );
    },
  });
}

/** Creates the liquidity providers. A development venue allows providers on the operator's own machine. */
function openProviders(table: MarketTable): HttpLiquidityProviders {
  const isSpecial = rangesHold(specialAddresses);
  const { devTools, providerHealthMs: healthMs } = settings;
  const signer = new VenueSigner({
    store: new PostgresSigningKeys(sql),
    box: secretBox,
    entropy: systemEntropy,
    nowMs: now,
  });
  return new HttpLiquidityProviders({
    ...{ signer, table, healthMs, log, nowMs: now },
    store: new PostgresProviderRepository(sql),
    isPlainAllowed: devTools,
    mayReach: (address) => devTools || !isSpecial(address),
  });
}

/** Executes an operator's call. */
async function answer(call: string, parameters: readonly unknown[]): Promise<unknown> {
  const { loop } = present(
    held.running,
    "the ledger's endpoint, which comes before any operator call",
  );
  const name = settlementCallNames.find((each) => each === call);
  if (name !== undefined) return Reflect.apply(loop[name], loop, parameters);
  const [, work] = Object.entries(swapCalls(swapStore)).find(([each]) => each === call) ?? [];
  return Reflect.apply(present(work, "an operator call of this name"), null, parameters);
}

/** The parts that run; `running` is null until the main thread has sent the ledger's endpoint. */
const held: { running: Running | null; stopListening: () => Promise<void> } = {
  running: null,
  stopListening: async () => undefined,
};

present(parentPort, "the port to the main thread").on("message", (bytes: Uint8Array) => {
  const message = decodeControlMessage(bytes);
  if (message.kind === "ledger") reach(message.endpoint);
  else if (message.kind === "master-keys") {
    secretBox.use(message.keys);
    tellMain({ kind: "keyed", thread: own.name });
  } else if (message.kind === "call") {
    const { number, call, parameters } = message;
    answer(call, parameters).then(
      (result) => tellMain({ kind: "answer", number, result, fault: null }),
      (error: unknown) => {
        const fault = error instanceof Error ? error.message : String(error);
        tellMain({ kind: "answer", number, result: null, fault });
      },
    );
  } else if (message.kind === "drain") void drain();
  else if (message.kind === "stop") leave();
});

/** Starts at the ledger's endpoint, or continues at its new one. */
function reach(endpoint: LedgerEndpoint): void {
  address.url = endpoint.network.url;
  adminAddress.url = endpoint.admin?.url ?? "";
  held.running ??= run(endpoint);
}

async function drain(): Promise<void> {
  held.running?.watch.stop();
  await Promise.all([
    held.running?.loop.stop(),
    held.running?.anchoring.close(),
    held.running?.custody.stop(),
    held.running?.providers.stop(),
    held.running?.swaps.stop(),
  ]);
  tellMain({ kind: "drained", thread: own.name });
}

/**
 * Closes the connections and exits without finishing work in progress: the next start resumes from what each step
 * stored.
 */
function leave(): void {
  runner.close();
  void Promise.all([sql.end({ timeout: 1 }), held.stopListening()]).then(() => process.exit(0));
}
