// The process in which one client runs. The test starts it with `--import network-guard.js`, so that the guard is
// active before any client loads. It receives its task as a message, and answers with the results of its steps and
// with every host other than this machine that the client tried to reach.

import { type ClientDialect, RoutedClient } from "./binance-routes.ts";
import { CcxtClient } from "./ccxt-routes.ts";
import { tripCcxtSpot, tripCcxtWithoutKey } from "./ccxt-spot-trip.ts";
import { tripCcxtUsdm } from "./ccxt-usdm-trip.ts";
import { ClientRun, type StepResult } from "./client-run.ts";
import { runSnippet } from "./guide-snippets.ts";
import { hostsOutside } from "./network-guard.ts";
import { tripPerp } from "./perp-round-trip.ts";
import { servedCodes } from "./refusal-server.ts";
import { perpMarket, type RefusedClients, spotMarket, tripRefusals } from "./refusals.ts";
import { tripSpot } from "./spot-round-trip.ts";
import { type Subject, subjects, type View } from "./subjects.ts";

/** An API key of a test account with its secret: an HMAC secret, or an Ed25519 private key as PEM text. */
export interface TestAccount {
  readonly key: string;
  readonly secret: string;
}

export interface RunRequest {
  readonly subject: string;
  readonly view: View;
  readonly base: string;
  /** The address of the refusal server. */
  readonly refusalBase: string;
  readonly hmac: TestAccount;
  readonly ed25519: TestAccount;
  /** An HMAC key of the standard tier. */
  readonly standard: TestAccount;
}

export interface RunReport {
  readonly steps: readonly StepResult[];
  readonly outside: readonly string[];
}

async function clientFor(name: string, base: string, { key, secret }: TestAccount) {
  const { client } = await runSnippet(name, { BASE: base, KEY: key, SECRET: secret });
  return client;
}

async function runSubject(request: RunRequest): Promise<RunReport> {
  const subject = subjects[request.subject];
  if (subject === undefined) throw new Error(`unknown client ${request.subject}`);
  const base = request.view === "root" ? request.base : `${request.base}/compat`;
  const run = new ClientRun();
  const byHmac = await clientFor(subject.hmac, base, request.hmac);
  const byEd25519 = await clientFor(subject.ed25519, base, request.ed25519);
  const isCompat = request.view === "compat";
  await trip(run, subject, { own: byHmac, other: byEd25519, keys: "HMAC", isCompat });
  await trip(run, subject, { own: byEd25519, other: byHmac, keys: "Ed25519", isCompat });
  if (subject.trip === "ccxt-spot") {
    const { client } = await runSnippet(subject.hmac, { BASE: base });
    await tripCcxtWithoutKey(run, new CcxtClient(client));
  }
  await refuse(run, subject, base, request);
  return { steps: run.results, outside: hostsOutside() };
}

interface TripParts {
  readonly own: unknown;
  readonly other: unknown;
  readonly keys: string;
  readonly isCompat: boolean;
}

async function trip(run: ClientRun, subject: Subject, parts: TripParts): Promise<void> {
  const { own, other, keys, isCompat } = parts;
  switch (subject.trip) {
    case "spot": {
      const { dialect } = subject;
      return tripSpot(run, new RoutedClient(own, dialect), new RoutedClient(other, dialect), keys);
    }
    case "perp": {
      const maker = new RoutedClient(own, subject.dialect);
      const taker = new RoutedClient(other, subject.dialect);
      return tripPerp(run, { maker, taker, keys, isCompat });
    }
    case "ccxt-spot":
      return tripCcxtSpot(run, new CcxtClient(own), new CcxtClient(other), keys);
    case "ccxt-usdm":
      return tripCcxtUsdm(run, new CcxtClient(own), new CcxtClient(other), keys);
  }
}

async function refuse(run: ClientRun, subject: Subject, base: string, request: RunRequest) {
  const classes = subject.errorClasses ?? {};
  switch (subject.trip) {
    case "spot":
    case "ccxt-spot": {
      const clients = await refusedClients(subject, subject.dialect, base, request);
      return tripRefusals(run, clients, spotMarket, classes);
    }
    case "perp":
    case "ccxt-usdm": {
      const clients = await refusedClients(subject, subject.dialect, base, request);
      return tripRefusals(run, clients, perpMarket, classes);
    }
  }
}

async function refusedClients<Route extends string>(
  subject: Subject,
  dialect: ClientDialect<Route>,
  base: string,
  { hmac, standard, refusalBase }: RunRequest,
): Promise<RefusedClients<Route>> {
  const make = async (account: TestAccount, at = base) => {
    const client = await clientFor(subject.hmac, at, account);
    if (subject.trip.startsWith("ccxt")) new CcxtClient(client);
    return new RoutedClient(client, dialect);
  };
  const fakes = new Map<number, RoutedClient<Route>>();
  for (const code of servedCodes) fakes.set(code, await make(hmac, `${refusalBase}/${-code}`));
  return {
    trader: await make(hmac),
    standard: await make(standard),
    wrongSecret: await make({ key: hmac.key, secret: "wrong" }),
    malformedKey: await make({ key: "short", secret: hmac.secret }),
    unknownKey: await make({ key: "A".repeat(64), secret: hmac.secret }),
    fakes,
  };
}

process.on("message", (request: RunRequest) => {
  runSubject(request).then(
    (report) => process.send?.(report),
    (error) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`${text}\n`);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});
