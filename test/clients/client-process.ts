// A process of its own for one client: shut in by the network guard, told over its message port what
// to run, and answering with the steps it took and every host it asked for that is not this machine.

import { RoutedClient } from "./binance-routes.ts";
// The guard comes first: what follows loads clients.
import { CcxtClient } from "./ccxt-routes.ts";
import { tripCcxtSpot, tripCcxtWithoutKey } from "./ccxt-spot-trip.ts";
import { tripCcxtUsdm } from "./ccxt-usdm-trip.ts";
import { ClientRun, type StepResult } from "./client-run.ts";
import { runSnippet } from "./guide-snippets.ts";
import { hostsOutside } from "./network-guard.ts";
import { tripPerp } from "./perp-round-trip.ts";
import { tripSpot } from "./spot-round-trip.ts";
import { subjects, type View } from "./subjects.ts";

/** An account of the venue, and one kind of key for it. */
export interface TestAccount {
  readonly key: string;
  readonly secret: string;
}

export interface RunRequest {
  readonly subject: string;
  readonly view: View;
  readonly base: string;
  readonly hmac: TestAccount;
  readonly ed25519: TestAccount;
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
  if (subject === undefined) throw new Error(`no client ${request.subject}`);
  const base = request.view === "root" ? request.base : `${request.base}/compat`;
  const run = new ClientRun();
  const byHmac = await clientFor(subject.hmac, base, request.hmac);
  const byEd25519 = await clientFor(subject.ed25519, base, request.ed25519);
  const isCompat = request.view === "compat";
  for (const keys of ["HMAC", "Ed25519"]) {
    const [own, other] = keys === "HMAC" ? [byHmac, byEd25519] : [byEd25519, byHmac];
    switch (subject.trip) {
      case "spot": {
        const { dialect } = subject;
        await tripSpot(run, new RoutedClient(own, dialect), new RoutedClient(other, dialect), keys);
        break;
      }
      case "perp": {
        const maker = new RoutedClient(own, subject.dialect);
        const taker = new RoutedClient(other, subject.dialect);
        await tripPerp(run, { maker, taker, keys, isCompat });
        break;
      }
      case "ccxt-spot":
        await tripCcxtSpot(run, new CcxtClient(own), new CcxtClient(other), keys);
        break;
      case "ccxt-usdm":
        await tripCcxtUsdm(run, new CcxtClient(own), new CcxtClient(other), keys);
        break;
    }
  }
  if (subject.trip === "ccxt-spot") {
    const { client } = await runSnippet(subject.hmac, { BASE: base });
    await tripCcxtWithoutKey(run, new CcxtClient(client));
  }
  return { steps: run.results, outside: hostsOutside() };
}

process.on("message", (request: RunRequest) => {
  runSubject(request).then(
    (report) => process.send?.(report),
    (error) => {
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`${words}\n`);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});
