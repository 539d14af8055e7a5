// `/v1/lp`: liquidity providers register, change their keys, and read their own data; the venue publishes its
// signing keys. A registration has no effect until the operator approves it. Spec LPS, LPR.

import { isIP } from "node:net";
import type * as z from "zod";
import {
  addKeyBody,
  emptyBody,
  providerSwapsQuery,
  registerBody,
} from "../../../../../schemas/http/native.ts";
import { marketsMax } from "../../../../core/limits.ts";
import { isPerpetual } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { Side } from "../../../../core/orders.ts";
import {
  pendingProvidersMax,
  providerNameLengthMax,
  providerUrlLengthMax,
} from "../../../../core/provider-limits.ts";
import { swapStateNames } from "../../../../core/swaps.ts";
import {
  type ProviderRecord,
  type ProviderSwap,
  providerStateNames,
} from "../../../../ports/swaps/provider-registry.ts";
import {
  canonicalPublicKey,
  Ed25519Signature,
} from "../../../../services/access/signed-request.ts";
import { signingKeyId } from "../../../../services/access/venue-signer.ts";
import { readBody } from "../../requests/read-request.ts";
import { loginRoute, type Outcome, openRoute, routeGroup } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused, type SurfaceError } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults, signatureErrors } from "../error-map.ts";
import { isoOfMs, pageText } from "../native-context.ts";
import { ProviderAuth, type SignedBy } from "./provider-auth.ts";

const partyForm = /^[^\s:]{1,120}::1220[0-9a-f]{64}$/;
const keyIdForm = /^1220[0-9a-f]{64}$/;
const nameForm = /^[\x20-\x7e]+$/;

/** The text that a new key signs when it is added: the text binds the key to its provider. */
function newKeyText(provider: string, publicKey: string): string {
  return `rialto provider key\nprovider: ${provider}\npublic key: ${publicKey}`;
}

class Providers {
  readonly #context: RouteContext;
  readonly #auth: ProviderAuth;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#auth = new ProviderAuth(context);
  }

  /** Runs `answer` for the provider that signed the request, or refuses a request without a valid signature. */
  async signed(
    call: HttpCall,
    answer: (by: SignedBy) => Promise<Outcome> | Outcome,
  ): Promise<Outcome> {
    const by = await this.#auth.signer(call);
    return "record" in by ? answer(by) : by;
  }

  async swaps(
    { record: { provider } }: SignedBy,
    limit: number,
    before: number | null,
  ): Promise<Outcome> {
    const rows = await this.#context.providers.swapsOf({ provider, before, limit: limit + 1 });
    const show = (row: ProviderSwap) => this.#shownSwap(row);
    return pageText(rows, limit, show, ({ number }) => number);
  }

  async status({ record }: SignedBy): Promise<Outcome> {
    const keys = await this.#context.providers.keysOf(record.provider);
    const shown = keys.map(({ keyId, publicKey, createdMs, retiredMs }) => ({
      key_id: keyId,
      public_key: publicKey,
      created_at: isoOfMs(createdMs),
      retired_at: retiredMs === null ? null : isoOfMs(retiredMs),
    }));
    return JSON.stringify({ ...shownProvider(record), keys: shown });
  }

  #shownSwap(swap: ProviderSwap): object {
    const { swapId, side, priceTicks, lots, state, updateId, createdMs } = swap;
    const market = this.#context.table.market(swap.market);
    return {
      swap_id: swapId,
      pair: market.symbol,
      side: side === Side.buy ? "BUY" : "SELL",
      price: formatScaled(priceTicks, market.tickDecimals),
      qty: formatScaled(lots, market.lotDecimals),
      status: swapStateNames[state],
      update_id: updateId,
      created_at: isoOfMs(createdMs),
    };
  }

  async keys(): Promise<Outcome> {
    const keys = await this.#context.providers.venueKeys(this.#context.clock.nowMs());
    const shown = keys.map(({ keyId, publicKey, createdMs, signsFromMs, retiresMs }) => ({
      key_id: keyId,
      public_key: publicKey,
      alg: "ed25519",
      created_at: isoOfMs(createdMs),
      signs_from: isoOfMs(signsFromMs),
      retires_at: retiresMs === null ? null : isoOfMs(retiresMs),
    }));
    return JSON.stringify({ keys: shown });
  }

  async register(call: HttpCall, params: z.output<typeof registerBody>): Promise<Outcome> {
    const fault = this.#termsFault(params);
    if (fault !== null) return fault;
    const publicKey = this.#soundKey(params.public_key);
    if (publicKey === null) return nativeFaults.badPublicKey;
    const keyId = signingKeyId(publicKey);
    const unproven = await this.#auth.provesKey(call, keyId, publicKey);
    if (unproven !== null) return unproven;
    const { name, url, party_id: party, pairs } = params;
    const record = await this.#context.providers.register({
      ...{ name, url, party, pairs, keyId, publicKey },
      nowMs: this.#context.clock.nowMs(),
      pendingMax: pendingProvidersMax,
    });
    if (record === "otherTerms") return nativeFaults.providerKeyTaken;
    if (record === "full") return nativeFaults.tooManyRegistrations;
    return JSON.stringify({ ...shownProvider(record), key_id: keyId });
  }

  #termsFault(params: z.output<typeof registerBody>): SurfaceError | null {
    const { name, url, party_id: party, pairs } = params;
    if (name.length > providerNameLengthMax || !nameForm.test(name))
      return nativeFaults.badProviderName;
    if (!this.#isUrl(url)) return nativeFaults.badProviderUrl;
    if (!partyForm.test(party)) return nativeFaults.badProviderParty;
    return this.#arePairs(pairs) ? null : nativeFaults.badProviderPairs;
  }

  /** Returns whether a text is a valid URL. The addresses of its host name are checked later, at every connection. */
  #isUrl(text: string): boolean {
    if (text.length > providerUrlLengthMax || !URL.canParse(text)) return false;
    const { protocol, username, password, hostname, href } = new URL(text);
    // The URL parser drops an empty query or fragment, so check the original text for them.
    const isPlain = username === "" && password === "" && !/[?#]/.test(text);
    if (!isPlain || text.endsWith("/") || (href !== text && href !== `${text}/`)) return false;
    if (this.#context.devTools) return protocol === "https:" || protocol === "http:";
    // The URL must have a host name, because an IP address has no certificate.
    return protocol === "https:" && isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  }

  #arePairs(pairs: readonly string[]): boolean {
    const isMarket = (symbol: string) => {
      const market = this.#context.table.find(symbol);
      return market !== undefined && !isPerpetual(market) && market.symbol === symbol;
    };
    const isBounded = pairs.length >= 1 && pairs.length <= marketsMax;
    return isBounded && new Set(pairs).size === pairs.length && pairs.every(isMarket);
  }

  #soundKey(text: string): string | null {
    const publicKey = canonicalPublicKey(text);
    if (publicKey === null) return null;
    return this.#context.isSoundPoint(Buffer.from(publicKey, "base64")) ? publicKey : null;
  }

  async addKey({ record }: SignedBy, params: z.output<typeof addKeyBody>): Promise<Outcome> {
    const { provider } = record;
    const publicKey = this.#soundKey(params.public_key);
    if (publicKey === null) return nativeFaults.badPublicKey;
    const text = newKeyText(provider, publicKey);
    if (!(await new Ed25519Signature(publicKey).verify(text, params.proof)))
      return nativeFaults.badKeyProof;
    const keyId = signingKeyId(publicKey);
    const createdMs = this.#context.clock.nowMs();
    const added = await this.#context.providers.addKey({ keyId, provider, publicKey, createdMs });
    if (added === "taken") return nativeFaults.providerKeyTaken;
    if (added === "full") return nativeFaults.tooManyProviderKeys;
    return JSON.stringify({ key_id: keyId, public_key: publicKey });
  }

  async retireKey({ record }: SignedBy, keyId: string): Promise<Outcome> {
    const { providers, clock } = this.#context;
    const retired = await providers.retireKey(record.provider, keyId, clock.nowMs());
    if (retired === "unknown") return nativeFaults.providerKeyUnknown;
    return retired === "last" ? nativeFaults.lastProviderKey : null;
  }
}

function shownProvider(record: ProviderRecord): object {
  const { provider, name, url, party, pairs, state, reason, createdMs, health, healthMs } = record;
  return {
    provider_id: provider,
    name,
    url,
    party_id: party,
    pairs,
    status: providerStateNames[state],
    reason,
    health,
    health_at: healthMs === null ? null : isoOfMs(healthMs),
    created_at: isoOfMs(createdMs),
  };
}

function shownStatistics({ record }: SignedBy): string {
  const { asked, quoted, passed, late, invalid, failed, settled, declined, unlocked } = record;
  const answered = quoted + passed;
  return JSON.stringify({
    score: record.score / 1000,
    requests: { asked, quoted, no_quote: passed, late, invalid, failed },
    swaps: { settled, declined, late: unlocked },
    average_answer_ms: answered === 0 ? null : Math.round(record.answerMs / answered),
  });
}

const signedByProvider = {
  what: "the headers with a registered provider’s signature",
  refusal: signatureErrors.missing.msg,
};
const unsigned = { 401: "The request is not signed by a provider's key." };

/** The routes for providers, and the venue's own keys. */
export const providerRoutes = routeGroup((context) => new Providers(context))([
  openRoute("GET /v1/lp/keys", {
    summary: "The venue's keys for signing requests to providers.",
    answer: (providers, call) => {
      // A provider reloads the keys when a request is signed with a key it does not know, so this cache time never
      // delays a new key.
      call.keepFor("public, max-age=60", "");
      return providers.keys();
    },
  }),
  loginRoute("POST /v1/lp/register", {
    summary: "Registers a liquidity provider with the key that signs the request.",
    body: registerBody,
    faults: {
      ...unsigned,
      409: "The key is already registered with other terms, or retired.",
      503: "Too many registrations are waiting for approval.",
    },
    exampleNeeds: signedByProvider,
    exampleLine:
      'curl -sS --fail-with-body "$V/v1/lp/register" -d \'{"name":"Maker","url":"https://lp.example","party_id":"maker::12200000000000000000000000000000000000000000000000000000000000000000","public_key":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=","pairs":["CC-USDC"]}\'',
    weight: 50,
    answer: (providers, call, params) => providers.register(call, params),
  }),
  openRoute("POST /v1/lp/keys", {
    summary: "Adds a second key to the provider.",
    body: addKeyBody,
    faults: {
      ...unsigned,
      409: "The provider has two keys, or the key is in use.",
    },
    exampleNeeds: signedByProvider,
    exampleLine:
      'curl -sS --fail-with-body "$V/v1/lp/keys" -d \'{"public_key":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=","proof":"…"}\'',
    weight: 20,
    answer: (providers, call, params) =>
      providers.signed(call, (by) => providers.addKey(by, params)),
  }),
  openRoute("DELETE /v1/lp/keys/{key_id}", {
    summary: "Retires a key of the provider immediately.",
    isSilent: true,
    faults: {
      ...unsigned,
      404: "The provider does not have this key.",
      409: "The last key cannot be removed.",
    },
    exampleNeeds: signedByProvider,
    exampleLine:
      'curl -sS --fail-with-body -X DELETE "$V/v1/lp/keys/12200000000000000000000000000000000000000000000000000000000000000000"',
    weight: 20,
    answer: (providers, call, { key_id: keyId }) => {
      readBody(emptyBody, call);
      if (!keyIdForm.test(keyId)) refused(nativeFaults.providerKeyUnknown);
      return providers.signed(call, (by) => providers.retireKey(by, keyId));
    },
  }),
  openRoute("GET /v1/lp/status", {
    summary: "The provider's registration.",
    faults: unsigned,
    exampleNeeds: signedByProvider,
    weight: 5,
    answer: (providers, call) => providers.signed(call, (by) => providers.status(by)),
  }),
  openRoute("GET /v1/lp/statistics", {
    summary: "Quote requests to the provider and their outcomes.",
    faults: unsigned,
    exampleNeeds: signedByProvider,
    weight: 5,
    answer: (providers, call) => providers.signed(call, shownStatistics),
  }),
  openRoute("GET /v1/lp/swaps", {
    summary: "The provider's swaps, newest first.",
    reads: providerSwapsQuery,
    faults: unsigned,
    exampleNeeds: signedByProvider,
    weight: 10,
    answer: (providers, call, { limit, cursor = null }) =>
      providers.signed(call, (by) => providers.swaps(by, limit, cursor)),
  }),
]);
