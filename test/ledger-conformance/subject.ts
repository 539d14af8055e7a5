// The ledger the conformance suite is about: the one of LEDGER_URL, with who the venue is there, or a
// development ledger that is started for it. The cases are the same; those that need coins from
// nowhere or an owner who acts behind the venue's back need a development ledger's admin API
// (LEDGER_ADMIN_URL, LEDGER_ADMIN_TOKEN), and say so where there is none.

import { type AccessTokens, accessTokens } from "../../src/adapters/ledger/access-token.ts";
import { LedgerApiClient } from "../../src/adapters/ledger/ledger-api-client.ts";
import { networkProfiles, venueTemplates } from "../../src/adapters/ledger/network-profile.ts";
import { openNetwork } from "../../src/adapters/ledger/open-network.ts";
import type { Instrument, LedgerNetwork, Party } from "../../src/ports/ledger/ledger.ts";
import type { NetworkEndpoint, TokenSource } from "../../src/ports/ledger/ledger-endpoint.ts";
import { readConfig } from "../../src/venue/config/config.ts";
import { tokensOf } from "../../src/venue/ledger/open-ledger.ts";
import { DevnetControl, DevnetFixture } from "../support/ledger/devnet.ts";
import { LedgerSubject } from "./ledger-subject.ts";

export interface Endpoint {
  readonly url: string;
  readonly tokens: TokenSource;
  readonly registries: NetworkEndpoint["registries"];
  readonly userId: string;
  readonly operator: Party;
  readonly custody: Party;
  readonly admin: DevnetControl | null;
}

/** How a participant refuses. */
export interface Refusal {
  readonly code: string;
  readonly cause: string;
  readonly errorCategory: number;
  readonly context: object;
}

export class Subject extends LedgerSubject {
  readonly endpoint: Endpoint;
  readonly network: LedgerNetwork;
  readonly api: LedgerApiClient;
  readonly templates: ReturnType<typeof venueTemplates>;
  readonly #tokens: AccessTokens;
  readonly #close: () => Promise<void>;

  static async open(): Promise<Subject> {
    const url = process.env["LEDGER_URL"];
    if (url !== undefined && url !== "")
      return new Subject(remoteEndpoint(url), async () => undefined);
    const fixture = await DevnetFixture.start();
    return new Subject(endpointOf(fixture), () => fixture.close());
  }

  constructor(endpoint: Endpoint, close: () => Promise<void>) {
    super();
    this.endpoint = endpoint;
    this.#close = close;
    const { userId } = endpoint;
    const profile = process.env["LEDGER_PROFILE"] === "canton-v1" ? "canton-v1" : "devnet";
    this.network = openNetwork({ ...endpoint, profile }, Date.now);
    const tokens = accessTokens(endpoint.tokens, userId, Date.now);
    this.templates = venueTemplates(networkProfiles[profile]);
    const { requestTimeoutMs, streamIdleMs } = networkProfiles[profile];
    this.#tokens = tokens;
    this.api = new LedgerApiClient({ address: endpoint, tokens, requestTimeoutMs, streamIdleMs });
  }

  close(): Promise<void> {
    return this.#close();
  }

  get control(): DevnetControl | null {
    return this.endpoint.admin;
  }

  /** A token of the venue's user. */
  token(): Promise<string> {
    return this.#tokens.token();
  }

  /** A raw exchange, as the network's own documents write it; null where the answer is no JSON. */
  async call<Shape = unknown>(method: string, path: string, body?: unknown, token?: string) {
    const bearer = token ?? (await this.token());
    const response = await fetch(this.endpoint.url + path, {
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

  async instruments(): Promise<Map<string, Instrument>> {
    const { registries, url } = this.endpoint;
    const found = new Map<string, Instrument>();
    for (const registry of registries.length === 0 ? [url] : registries.map(([, at]) => at)) {
      const response = await fetch(`${registry}/registry/metadata/v1/instruments`);
      const listed = (await response.json()) as { instruments: { id: string; admin?: string }[] };
      const own = registries.find(([, at]) => at === registry)?.[0] ?? "";
      for (const { id, admin = own } of listed.instruments) found.set(id, { admin, id });
    }
    return found;
  }
}

export function endpointOf(fixture: DevnetFixture): Endpoint {
  const { url, operator, custody } = fixture.ledger.endpoint;
  const tokens = { kind: "minted", secret: fixture.secrets.api } as const;
  const registries: Endpoint["registries"] = [];
  return { url, tokens, registries, userId: "venue", operator, custody, admin: fixture.admin };
}

/** By the settings that a venue would be started with; the admin API is a development ledger's. */
function remoteEndpoint(url: string): Endpoint {
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
    admin: adminUrl === "" ? null : new DevnetControl(adminUrl, adminToken),
  };
}
