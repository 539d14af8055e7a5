// Connects programs other than the venue to the development ledger of a venue on this machine. The ledger is found by
// its folder. If the ledger restarts on another port, the next request uses the new port.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { accessTokens } from "../adapters/ledger/access-token.ts";
import { LedgerApiClient, LedgerFault } from "../adapters/ledger/ledger-api-client.ts";
import { networkProfiles } from "../adapters/ledger/network-profile.ts";
import type { Instrument, Party } from "../ports/ledger/ledger.ts";
import type { LedgerAddress, TokenSource } from "../ports/ledger/ledger-endpoint.ts";
import { adminUser } from "./devnet-ledger.ts";

const endpointForm = z.object({
  url: z.string(),
  adminUrl: z.string().nullable(),
  operator: z.string(),
});
const secretsForm = z.object({ api: z.string(), admin: z.string() });
const instrumentList = z.object({
  instruments: z.array(z.object({ id: z.string(), admin: z.string() })),
});

const timeoutMs = 10_000;

export interface DevnetConnection {
  readonly address: LedgerAddress;
  /** Address and token of the admin API; null if the ledger has no faucet. */
  readonly admin: { readonly address: LedgerAddress; readonly token: string } | null;
  readonly operator: Party;
  readonly tokens: TokenSource;
}

/** Returns the connection to the ledger in `folder`; throws if no ledger was started in that folder. */
export function devnetConnectionIn(folder: string): DevnetConnection {
  const place = () => endpointForm.parse(jsonIn(folder, "place.json"));
  const { api: secret, admin: token } = secretsForm.parse(jsonIn(folder, "secrets.json"));
  const { operator, adminUrl } = place();
  const address = {
    get url() {
      return place().url;
    },
  };
  const adminAddress = {
    get url() {
      return place().adminUrl ?? "";
    },
  };
  const admin = adminUrl === null ? null : { address: adminAddress, token };
  return { address, admin, operator, tokens: { kind: "minted", secret } };
}

/** Returns a client of the ledger's API that acts as one of the ledger's users. */
export function ledgerApiAt(address: LedgerAddress, tokens: TokenSource, userId: string) {
  const { requestTimeoutMs, streamIdleMs } = networkProfiles.devnet;
  return new LedgerApiClient({
    ...{ address, requestTimeoutMs, streamIdleMs },
    tokens: accessTokens(tokens, userId, Date.now),
  });
}

/** Grants a user of the ledger the right to act or read as a party. */
export async function grantAt(
  devnet: DevnetConnection,
  userId: string,
  right: object,
): Promise<void> {
  const office = ledgerApiAt(devnet.address, devnet.tokens, adminUser);
  await office.grantRights(userId, [{ kind: right }]);
}

/** Returns a hosted party for which the user may act; reuses the party of an earlier start. */
export async function partyAt(
  devnet: DevnetConnection,
  hint: string,
  userId: string,
): Promise<Party> {
  const office = ledgerApiAt(devnet.address, devnet.tokens, adminUser);
  const party = `${hint}${devnet.operator.slice(devnet.operator.indexOf("::"))}`;
  await office.allocateParty(hint, userId).catch((error: unknown) => {
    if (!isKnownParty(error)) throw error;
  });
  await grantAt(devnet, userId, { CanActAs: { value: { party } } });
  return party;
}

/** Returns the instruments of a registry by their codes. */
export async function instrumentsAt(url: string): Promise<Map<string, Instrument>> {
  const response = await fetch(`${url}/registry/metadata/v1/instruments`, {
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`the registry at ${url} answered ${response.status}`);
  const { instruments } = instrumentList.parse(await response.json());
  return new Map(instruments.map(({ id, admin }) => [id, { admin, id }]));
}

function isKnownParty(error: unknown): boolean {
  const fault = error instanceof LedgerFault ? error.fault : null;
  return fault?.kind === "error" && fault.error.code === "PARTY_ALREADY_EXISTS";
}

/** Reads a JSON file of the folder. It is read at each use, so that its content is always current. */
function jsonIn(folder: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, name), "utf8"));
  } catch {
    throw new Error(`no development ledger was started in ${folder}`);
  }
}
