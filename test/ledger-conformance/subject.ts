// The ledger the conformance suite is about: the one of LEDGER_URL, with who the venue is there, or a
// development ledger that is started for it. The cases are the same; those that need coins from
// nowhere or an owner who acts behind the venue's back need a development ledger's admin door
// (LEDGER_ADMIN_URL, LEDGER_ADMIN_TOKEN), and say so where there is none.

import { randomUUID } from "node:crypto";
import { type AccessTokens, accessTokens } from "../../src/adapters/ledger/access-token.ts";
import { LedgerApiClient } from "../../src/adapters/ledger/ledger-api-client.ts";
import { networkProfiles, venueTemplates } from "../../src/adapters/ledger/network-profile.ts";
import { openNetwork } from "../../src/adapters/ledger/open-network.ts";
import { parseLedgerAmount } from "../../src/core/ledger-amount.ts";
import type {
  BatchCommand,
  ChangeKey,
  Holding,
  Instrument,
  LedgerNetwork,
  Leg,
  MemberOperation,
  Outcome,
  Party,
} from "../../src/ports/ledger.ts";
import type { NetworkPlace, TokenSource } from "../../src/ports/ledger-place.ts";
import { readConfig } from "../../src/venue/config.ts";
import { tokensOf } from "../../src/venue/ledger-place.ts";
import { DevnetFixture, DevnetHands } from "../support/devnet.ts";

export interface Place {
  readonly url: string;
  readonly tokens: TokenSource;
  readonly registries: NetworkPlace["registries"];
  readonly userId: string;
  readonly operator: Party;
  readonly custody: Party;
  readonly admin: DevnetHands | null;
}

/** One that is ready to settle: its authority, its number and its coins. */
export interface Member {
  readonly party: Party;
  readonly authCid: string;
}

const patienceMs = 120_000;
export const dayMs = 86_400_000;

/** How a participant refuses. */
export interface Refusal {
  readonly code: string;
  readonly cause: string;
  readonly errorCategory: number;
  readonly context: object;
}

export class Subject {
  readonly place: Place;
  readonly network: LedgerNetwork;
  readonly api: LedgerApiClient;
  readonly templates: ReturnType<typeof venueTemplates>;
  readonly #tokens: AccessTokens;
  readonly #close: () => Promise<void>;

  static async open(): Promise<Subject> {
    const url = process.env["LEDGER_URL"];
    if (url !== undefined && url !== "")
      return new Subject(remotePlace(url), async () => undefined);
    const fixture = await DevnetFixture.start();
    return new Subject(placeOf(fixture), () => fixture.close());
  }

  constructor(place: Place, close: () => Promise<void>) {
    this.place = place;
    this.#close = close;
    const { userId } = place;
    const profile = process.env["LEDGER_PROFILE"] === "canton-v1" ? "canton-v1" : "devnet";
    this.network = openNetwork({ ...place, profile });
    const tokens = accessTokens(place.tokens, userId);
    this.templates = venueTemplates(networkProfiles[profile]);
    const { requestTimeoutMs, streamIdleMs } = networkProfiles[profile];
    this.#tokens = tokens;
    this.api = new LedgerApiClient({ address: place, tokens, requestTimeoutMs, streamIdleMs });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** The development ledger's hands; null on any other network. */
  get hands(): DevnetHands | null {
    return this.place.admin;
  }

  /** A token of the venue's user. */
  token(): Promise<string> {
    return this.#tokens.token();
  }

  /** A raw exchange, as the network's own documents write it; null where the answer is no JSON. */
  async call<Shape = unknown>(method: string, path: string, body?: unknown, token?: string) {
    const bearer = token ?? (await this.token());
    const response = await fetch(this.place.url + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text.startsWith("{") || text.startsWith("[");
    const json = isJson ? (JSON.parse(text) as Shape) : null;
    return { status: response.status, json, text };
  }

  async change(name: string, actAs: readonly Party[]): Promise<ChangeKey> {
    const dedupOffset = await this.network.ledgerEnd();
    return { commandId: `${name}:${randomUUID()}`, actAs, dedupOffset, submissionId: randomUUID() };
  }

  /** A party of a wallet with coins, unknown to everybody before. */
  async wallet(coins: Readonly<Record<string, string>> = {}): Promise<Party> {
    const { hands } = this;
    if (hands === null) throw new Error("this network has no faucet");
    const hex = randomUUID().replaceAll("-", "");
    const party = `member-${hex.slice(0, 8)}::1220${hex}${hex}`;
    await hands.host(party);
    for (const [instrument, amount] of Object.entries(coins))
      await hands.tap(party, instrument, amount);
    return party;
  }

  /** A wallet whose MemberAuth is on the ledger. */
  async member(coins: Readonly<Record<string, string>>, limit = 1_000_000): Promise<Member> {
    const party = await this.wallet(coins);
    const units = BigInt(limit) * 10n ** 10n;
    const instruments = await this.instruments();
    const { operator } = this.place;
    const outcome = await this.network.propose({
      ...(await this.change("enroll", [operator])),
      member: party,
      instruments: [...instruments.values()],
      perBatchLimit: { USDC: units, CC: units, CBTC: units, CETH: units },
      expiresAtMs: Date.now() + dayMs,
    });
    if (outcome.kind !== "committed") throw new Error(JSON.stringify(outcome));
    return { party, authCid: await this.authOf(party) };
  }

  /** The member's contract as it is now; waits for its wallet to accept. */
  async authOf(party: Party): Promise<string> {
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      const end = await this.network.ledgerEnd();
      const found = await this.network.contracts(party, this.templates.memberAuth, end);
      const own = found.find(({ payload }) => payload["member"] === party);
      if (own !== undefined) return own.contractId;
    }
    throw new Error(`${party} has no MemberAuth`);
  }

  async instruments(): Promise<Map<string, Instrument>> {
    const { registries, url } = this.place;
    const found = new Map<string, Instrument>();
    for (const registry of registries.length === 0 ? [url] : registries.map(([, at]) => at)) {
      const response = await fetch(`${registry}/registry/metadata/v1/instruments`);
      const listed = (await response.json()) as { instruments: { id: string; admin?: string }[] };
      const own = registries.find(([, at]) => at === registry)?.[0] ?? "";
      for (const { id, admin = own } of listed.instruments) found.set(id, { admin, id });
    }
    return found;
  }

  async coins(party: Party, id: string): Promise<Holding[]> {
    const all = await this.network.holdings(party, await this.network.ledgerEnd());
    return all.filter(({ instrument, isLocked }) => instrument.id === id && !isLocked);
  }

  async balance(party: Party, id: string): Promise<bigint> {
    const all = await this.network.holdings(party, await this.network.ledgerEnd());
    const own = all.filter(({ instrument }) => instrument.id === id);
    return own.reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** A payment with all unlocked coins of the sender as inputs. */
  async leg(sender: Party, receiver: Party, id: string, amount: string): Promise<Leg> {
    const coins = await this.coins(sender, id);
    const instrument = coins[0]?.instrument ?? (await this.instruments()).get(id);
    if (instrument === undefined) throw new Error(`no instrument ${id}`);
    return {
      legId: randomUUID(),
      sender,
      receiver,
      instrument,
      amount: parseLedgerAmount(amount) ?? 0n,
      inputs: coins.map(({ contractId }) => contractId),
    };
  }

  async batch(
    members: readonly MemberOperation[],
    legs: readonly Leg[],
    phase = "direct",
  ): Promise<BatchCommand> {
    const { operator, custody } = this.place;
    const batchId = randomUUID();
    const actAs = members.length === 1 ? [operator, custody] : [operator];
    const change = await this.change(`stl:${batchId}:1:${phase}`, actAs);
    const now = Date.now();
    return {
      ...change,
      batchId,
      members,
      legs,
      requestedAtMs: now - 1_000,
      executeBeforeMs: now + 600_000,
    };
  }

  operation({ party, authCid }: Member, opNo: number): MemberOperation {
    return { member: party, authCid, opNo };
  }
}

export function placeOf(fixture: DevnetFixture): Place {
  const { url, operator, custody } = fixture.ledger.place;
  const tokens = { kind: "minted", secret: fixture.secrets.api } as const;
  const registries: Place["registries"] = [];
  return { url, tokens, registries, userId: "venue", operator, custody, admin: fixture.admin };
}

/** By the settings that a venue would be started with; the admin door is a development ledger's. */
function remotePlace(url: string): Place {
  const { ledger } = readConfig(process.env);
  const adminUrl = process.env["LEDGER_ADMIN_URL"] ?? "";
  const adminToken = process.env["LEDGER_ADMIN_TOKEN"] ?? "";
  return {
    url,
    tokens: tokensOf(ledger),
    registries: [...ledger.registries],
    userId: ledger.userId,
    operator: ledger.operatorParty,
    custody: ledger.custodyParty,
    admin: adminUrl === "" ? null : new DevnetHands(adminUrl, adminToken),
  };
}

/** The outcome's kind with what it asks for: what most cases compare. */
export function worded(outcome: Outcome): string {
  if (outcome.kind === "committed") return "committed";
  if (outcome.kind === "unknown") return `unknown ${outcome.cause}`;
  return `rejected ${outcome.action} ${outcome.code}`;
}
