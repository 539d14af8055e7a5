// Opens the ledger that the conformance suite tests: the ledger at LEDGER_URL, with the venue's user and parties
// there, or else a development ledger. The cases are the same for both. Cases that create coins or act for an owner
// need a development ledger's admin API (LEDGER_ADMIN_URL, LEDGER_ADMIN_TOKEN); without it they fail with a message
// that says so.

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

/** Body of a participant's error answer. */
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

  /** Returns an access token of the venue's user. */
  token(): Promise<string> {
    return this.#tokens.token();
  }

  /** Sends a raw request in the network's own format. `json` is null if the answer is not JSON. */
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

/**
 * Reads the endpoint from the settings with which a venue is started. Only a development ledger has the admin API.
 */
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
