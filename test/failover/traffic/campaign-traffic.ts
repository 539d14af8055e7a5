// The clients of a campaign: traders on all surfaces, a probe that measures outages, and streams that stay open. They
// know the gateways, and the load balancer if there is one, and go elsewhere when a connection is lost.

import { setTimeout as sleep } from "node:timers/promises";
import { present } from "../../../src/core/assert.ts";
import type { Endpoint } from "../../../src/tools/load/http-connection.ts";
import {
  createLoadKeys,
  fundings,
  fundLoadAccount,
} from "../../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../../src/tools/load/signed-requests.ts";
import { CrashClient, type CrashClientOptions } from "../../crash/crash-client.ts";
import { ccUsdc, cethUsdc, ethPerp, perpetualFunding } from "../../crash/crash-market.ts";
import { type DoneRequests, sumOf } from "../../crash/done-requests.ts";
import { FamilyClient, familyRestMs } from "../../crash/family-client.ts";
import { SessionClient } from "../../crash/session-client.ts";
import { SignedClient } from "../../crash/signed-client.ts";
import type { ClientOptions } from "../../streams/stream-client.ts";
import { GatewayRing } from "./gateway-ring.ts";
import { NativeTrader } from "./native-trader.ts";
import { OpenLoopProbe, ProbeLane } from "./open-loop-probe.ts";
import type { Trader } from "./trader.ts";
import { openListenKey, type StreamEndpoint, WatchedStreams } from "./watched-streams.ts";

/** The load balancer, which leads to a gateway over TLS. */
export interface Balancer extends Endpoint {
  /** Certificate that signs the balancer's. */
  readonly ca: Buffer;
}

export interface TrafficParts {
  /** Data folder of the venue that leads. */
  readonly dataDir: string;
  readonly gateways: readonly Endpoint[];
  readonly balancer: Balancer | null;
  readonly traders: number;
  readonly seed: number;
}

/** Rest of a trader after each step in ms: the processors also have everything else to do. */
const restMs = 50;
const lanes = 4;
const answersMsMax = 90_000;
/** A trader's surface is chosen by its place. */
const surfaces = ["spot", "compat", "session", "futures session", "spot", "native"] as const;

type CampaignClients = Pick<CampaignTraffic, "traders" | "probe" | "streams" | "family">;

export class CampaignTraffic {
  readonly traders: readonly Trader[];
  readonly probe: OpenLoopProbe;
  readonly streams: WatchedStreams;
  /** An owner with sub-accounts; two of the traders are its. */
  readonly family: FamilyClient;

  private constructor(clients: CampaignClients) {
    this.traders = clients.traders;
    this.probe = clients.probe;
    this.streams = clients.streams;
    this.family = clients.family;
  }

  /** Creates accounts, keys and streams; nobody trades yet. */
  static async open(parts: TrafficParts): Promise<CampaignTraffic> {
    const { dataDir, gateways, traders: count } = parts;
    const keys = await createLoadKeys(dataDir, count + lanes);
    for (const { account } of keys) await fundLoadAccount(dataDir, account, perpetualFunding);
    const traders: Trader[] = [];
    for (const [place, key] of keys.slice(0, count).entries())
      traders.push(await openTrader(parts, place, key));
    const family = await openFamily(parts);
    traders.push(...familyTraders(parts, family));
    const probes = keys
      .slice(count)
      .map((key, lane) => new ProbeLane(key, lane, new GatewayRing(gateways, lane)));
    const named = present(keys[surfaces.indexOf("session")], "the key of a spot session");
    const gateway = present(gateways[0], "a gateway");
    const listenKey = await openListenKey(gateway, named);
    const streams = new WatchedStreams(placesOf(parts), named.account, listenKey);
    streams.start();
    return new CampaignTraffic({ traders, probe: new OpenLoopProbe(probes), streams, family });
  }

  get all(): readonly Trader[] {
    return [...this.traders, ...this.probe.lanes];
  }

  /** What the traders' requests have done so far. */
  get done(): DoneRequests {
    return sumOf(this.traders.map(({ done }) => done ?? new Map()));
  }

  trade(): void {
    for (const trader of this.all) trader.resume();
    this.family.resume();
  }

  /** Stops trading once each request is answered. */
  async rest(): Promise<void> {
    await Promise.all([...this.all.map((trader) => trader.pause()), this.family.pause()]);
  }

  /** Waits until requests that were sent after now are answered in each lane, and to traders. */
  async untilAcknowledged(): Promise<void> {
    const sum = () => this.traders.reduce((all, { acknowledged }) => all + acknowledged, 0);
    const before = sum();
    const answered = this.probe.lanes.map(({ acknowledged }) => acknowledged);
    const isBack = () =>
      sum() > before + 2 * this.traders.length &&
      this.probe.lanes.every(({ acknowledged }, lane) => acknowledged > (answered[lane] ?? 0) + 2);
    const endMs = performance.now() + answersMsMax;
    while (!isBack()) {
      if (performance.now() > endMs) throw new Error(`nothing is acknowledged: ${this.#words()}`);
      await sleep(5);
    }
  }

  /** What each client has been told, in words. */
  #words(): string {
    const told = this.traders.map(({ acknowledged }, place) => `trader ${place}: ${acknowledged}`);
    const lanes = this.probe.lanes.map(
      ({ acknowledged, others }, lane) =>
        `lane ${lane}: ${acknowledged}, others ${JSON.stringify([...others])}`,
    );
    return [...told, ...lanes].join("; ");
  }

  async close(): Promise<void> {
    await this.streams.stop();
    for (const { client } of this.traders) client.close();
    for (const lane of this.probe.lanes) lane.close();
  }
}

async function openTrader(parts: TrafficParts, place: number, key: LoadKey): Promise<Trader> {
  const { seed, gateways, dataDir } = parts;
  const surface = surfaces[place % surfaces.length] ?? "spot";
  const ring = new GatewayRing(gateways, place);
  const endpoint = () => ring.next();
  const everywhere = [ccUsdc, ccUsdc, cethUsdc, ethPerp];
  if (surface === "native") {
    const markets = [ccUsdc, ethPerp];
    const trader = await NativeTrader.open({ place, seed, markets, endpoint });
    const amounts = [...fundings, ...perpetualFunding];
    await fundLoadAccount(dataDir, trader.history.account, amounts);
    return trader;
  }
  const http = (view: string) =>
    new SignedClient(key, place, `10.9.0.${place + 1}`, endpoint, view);
  const trader = (client: SignedClient | SessionClient, markets: CrashClientOptions["markets"]) =>
    new CrashClient(client, key.account, place, { seed, restMs, markets });
  if (surface === "spot") return trader(http(""), everywhere);
  if (surface === "compat") return trader(http("/compat"), everywhere);
  const path = surface === "session" ? "/compat/ws-api/v3" : "/compat/ws-fapi/v1";
  const { base, options } = sessionEndpoint(parts, place, ring);
  // One of the two kinds of sessions cancels on disconnect, so that a fault shows what it does to both.
  const cancelsOnDisconnect = surface === "futures session";
  const terms = { ...options, cancelsOnDisconnect };
  const client = new SessionClient(key, http(""), () => base() + path, terms);
  return trader(client, surface === "session" ? [ccUsdc] : [ethPerp]);
}

function openFamily({ dataDir, seed, gateways }: TrafficParts): Promise<FamilyClient> {
  const ring = new GatewayRing(gateways, 0);
  return FamilyClient.open({ dataDir, seed, address: "10.9.3.1", endpoint: () => ring.next() });
}

/** The owner and one of its sub-accounts, which trade in the same markets. */
function familyTraders({ seed, gateways, traders }: TrafficParts, family: FamilyClient): Trader[] {
  return family.traders.map((key, index) => {
    const place = traders + lanes + index;
    const ring = new GatewayRing(gateways, index);
    const client = new SignedClient(key, place, `10.9.3.${index + 2}`, () => ring.next());
    const options = { seed, restMs: familyRestMs, markets: [ccUsdc, ethPerp] };
    return new CrashClient(client, key.account, place, options);
  });
}

/** Sessions go through the load balancer if there is one. */
function sessionEndpoint(
  { balancer }: TrafficParts,
  place: number,
  ring: GatewayRing,
): Pick<StreamEndpoint, "base" | "options"> {
  if (balancer !== null) return balanced(balancer);
  const options: ClientOptions = { headers: { "x-forwarded-for": `10.9.0.${place + 1}` } };
  return { base: () => addressOf(ring.next()), options };
}

function balanced({ host, port, ca }: Balancer): Pick<StreamEndpoint, "base" | "options"> {
  return { base: () => `wss://${host}:${port}`, options: { ca } };
}

/** Streams at each gateway itself, and through the load balancer. */
function placesOf({ gateways, balancer }: TrafficParts): StreamEndpoint[] {
  const direct = gateways.map((_, place) => {
    const ring = new GatewayRing(gateways, place);
    return {
      name: `gateway ${place}`,
      base: () => addressOf(ring.next()),
      options: { headers: { "x-forwarded-for": `10.9.2.${place + 1}` } },
    };
  });
  return balancer === null ? direct : [...direct, { name: "balancer", ...balanced(balancer) }];
}

function addressOf({ host, port }: Endpoint): string {
  return `ws://${host}:${port}`;
}
