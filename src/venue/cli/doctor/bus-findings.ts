// `doctor` on the bus: whether each NATS server is reached with the TLS and key of the settings, and, for a gateway,
// whether the leader is heard.

import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { NatsBus, type NatsSettings } from "../../../adapters/nats/nats-bus.ts";
import { busSubjects } from "../../../ports/bus.ts";
import type { Log } from "../../../ports/log.ts";
import { BusMessageReader } from "../../../wire/bus-message.ts";
import type { Config } from "../../config/config.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const connectMsMax = 3_000;
/** A leader gives a sign of life every 100 ms. */
const hearMsMax = 2_000;
const lookMs = 20;

const check = "bus";

export async function busFindings(config: Config, isGateway: boolean): Promise<Finding[]> {
  const { bus, venueName } = config;
  if (bus === null) return [];
  const reached = await Promise.all(bus.urls.map((url) => serverFinding({ ...bus, urls: [url] })));
  const isReached = reached.some(({ verdict }) => verdict !== "fault");
  return isGateway && isReached ? [...reached, await heardFinding(bus, venueName)] : reached;
}

/** Tries one server alone, so that one which is away is found although another one would do. */
async function serverFinding(settings: NatsSettings): Promise<Finding> {
  const [url = ""] = settings.urls;
  const reasons: string[] = [];
  const bus = new NatsBus({ settings, name: "rialto doctor", log: logInto(reasons) });
  await until(() => bus.isConnected || reasons.length > 0, connectMsMax);
  const { isConnected } = bus;
  await bus.close();
  if (!isConnected)
    return fault(
      check,
      `${url}: ${reasons[0] ?? `no answer within ${connectMsMax / 1000} s`}`,
      "check NATS_URL, NATS_CA_FILE (the server's certificate must name this address) and NATS_NKEY_FILE or NATS_CREDENTIALS_FILE",
    );
  const isSecure = url.startsWith("tls://") || settings.caFile !== null;
  const hasKey = settings.nkeyFile !== null || settings.credentialsFile !== null;
  const found = `${url} reached ${isSecure ? "by TLS" : "without TLS"}, ${hasKey ? "with a key" : "without a key"}`;
  if ((isSecure && hasKey) || isLoopback(url)) return ok(check, found);
  return warning(
    check,
    found,
    "use tls:// and an NKey of this role: who reads the bus reads all orders",
  );
}

async function heardFinding(settings: NatsSettings, venueName: string): Promise<Finding> {
  const reasons: string[] = [];
  const bus = new NatsBus({ settings, name: "rialto doctor", log: logInto(reasons) });
  const reader = new BusMessageReader();
  let heard: string | null = null;
  bus.subscribe(busSubjects(venueName).groups, (message) => {
    const problem = reader.open(message);
    heard = problem ?? "";
  });
  await until(() => heard !== null, hearMsMax);
  await bus.close();
  if (heard === "") {
    const { epoch, durableSeq } = reader.header;
    return ok("bus leader", `heard, writer epoch ${epoch}, at event ${durableSeq}`);
  }
  if (heard !== null) return fault("bus leader", heard, "run the same version on both");
  return warning(
    "bus leader",
    `no venue called ${venueName} is heard`,
    "start the venue with NATS_URL, or correct VENUE_NAME; gateways may subscribe to what the guide lists",
  );
}

function logInto(reasons: string[]): Log {
  const ignore = () => undefined;
  const keep = (details: object) => {
    if ("reason" in details) reasons.push(String(details.reason));
  };
  return { debug: ignore, info: ignore, warn: keep, error: keep };
}

async function until(holds: () => boolean, msMax: number): Promise<void> {
  const endMs = performance.now() + msMax;
  while (!holds() && performance.now() < endMs) await sleep(lookMs);
}

function isLoopback(url: string): boolean {
  const host = url
    .replace(/^\w+:\/\//, "")
    .replace(/:\d+$/, "")
    .replace(/^\[|\]$/g, "");
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
