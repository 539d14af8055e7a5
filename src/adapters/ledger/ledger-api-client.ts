// The JSON Ledger API v2 over HTTP: one method an exchange, bodies as the network writes them. What is
// no proper answer becomes a Fault and never an exception, except where nothing was changed anyway:
// reads throw a LedgerFault. It keeps no state but its token and retries only a refused token, once.

import type { LedgerAddress } from "../../ports/ledger-place.ts";
import type { AccessTokens } from "./access-token.ts";
import type {
  ActiveContractEntry,
  ApiTransaction,
  CantonError,
  CompletionEntry,
  EventFormat,
  JsonObject,
  PreparedAnswer,
  SubmitForTransaction,
  TransactionFormat,
  UpdateEntry,
} from "./api-shapes.ts";
import { classifyFault, type Fault } from "./outcome.ts";

/** A read failed; the words are for the operator. */
export class LedgerFault extends Error {
  override name = "LedgerFault";
  readonly fault: Fault;

  constructor(fault: Fault, what: string) {
    super(`${what}: ${wordsOf(fault)}`);
    this.fault = fault;
  }
}

function wordsOf(fault: Fault): string {
  if (fault.kind === "timeout") return "no answer in time";
  if (fault.kind === "transport") return fault.words;
  return `${fault.status} ${fault.error.code}: ${fault.error.cause}`.slice(0, 500);
}

export interface LedgerApiOptions {
  readonly address: LedgerAddress;
  readonly tokens: AccessTokens;
  readonly requestTimeoutMs: number;
  readonly streamIdleMs: number;
}

export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "fault"; readonly fault: Fault };

export class LedgerApiClient {
  readonly #options: LedgerApiOptions;

  constructor(options: LedgerApiOptions) {
    this.#options = options;
  }

  /** 200 from `/livez` or `/readyz`; needs no token. */
  async answers(path: "/livez" | "/readyz"): Promise<boolean> {
    const signal = AbortSignal.timeout(this.#options.requestTimeoutMs);
    return fetch(this.#options.address.url + path, { signal }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
  }

  async version(): Promise<string> {
    return (await this.#get<{ version: string }>("/v2/version")).version;
  }

  async prunedTo(): Promise<number> {
    const path = "/v2/state/latest-pruned-offsets";
    const pruned = await this.#get<{ participantPrunedUpToInclusive?: number | null }>(path);
    return pruned.participantPrunedUpToInclusive ?? 0;
  }

  async ledgerEnd(): Promise<number> {
    return (await this.#get<{ offset?: number | null }>("/v2/state/ledger-end")).offset ?? 0;
  }

  async synchronizerId(): Promise<string> {
    const { connectedSynchronizers } = await this.#get<{
      connectedSynchronizers?: { synchronizerId: string }[];
    }>("/v2/state/connected-synchronizers");
    const [first] = connectedSynchronizers ?? [];
    if (first === undefined) throw new Error("the participant is connected to no synchronizer");
    return first.synchronizerId;
  }

  /** Sends commands and waits for the transaction; the only call here that changes the ledger. */
  async submit(body: SubmitForTransaction): Promise<Answer<ApiTransaction>> {
    const path = "/v2/commands/submit-and-wait-for-transaction";
    const answer = await this.#exchange<{ transaction?: ApiTransaction }>("POST", path, body);
    if (answer.kind === "fault") return answer;
    const { transaction } = answer.value;
    if (transaction === undefined)
      return {
        kind: "fault",
        fault: { kind: "transport", words: "an answer without transaction" },
      };
    return { kind: "ok", value: transaction };
  }

  /** Has the participant build a transaction that a party signs itself; changes nothing. */
  prepare(body: JsonObject): Promise<Answer<PreparedAnswer>> {
    return this.#exchange("POST", "/v2/interactive-submission/prepare", body);
  }

  /** Sends a signed transaction and waits for it. */
  execute(body: JsonObject): Promise<Answer<{ updateId: string; completionOffset: number }>> {
    return this.#exchange("POST", "/v2/interactive-submission/executeAndWait", body);
  }

  completions(
    userId: string,
    parties: readonly string[],
    beginExclusive: number,
    limit: number,
  ): Promise<CompletionEntry[]> {
    const path = `/v2/commands/completions?${this.#stream(limit)}`;
    return this.#post(path, { userId, parties, beginExclusive });
  }

  updates(
    beginExclusive: number,
    format: TransactionFormat,
    limit: number,
    endInclusive?: number,
  ): Promise<UpdateEntry[]> {
    const path = `/v2/updates?${this.#stream(limit)}`;
    const range =
      endInclusive === undefined ? { beginExclusive } : { beginExclusive, endInclusive };
    return this.#post(path, { ...range, updateFormat: { includeTransactions: format } });
  }

  /** The transaction at `offset`, or null if the parties of `format` see none there. */
  updateAt(offset: number, format: TransactionFormat): Promise<ApiTransaction | null> {
    return this.#update("update-by-offset", { offset }, format);
  }

  /** The transaction of that id, or null if the parties of `format` do not see it. */
  updateById(updateId: string, format: TransactionFormat): Promise<ApiTransaction | null> {
    return this.#update("update-by-id", { updateId }, format);
  }

  async #update(name: string, which: object, format: TransactionFormat) {
    const body = { ...which, updateFormat: { includeTransactions: format } };
    const answer = await this.#exchange<UpdateEntry>("POST", `/v2/updates/${name}`, body);
    if (answer.kind === "ok") return answer.value.update?.Transaction?.value ?? null;
    const { fault } = answer;
    if (fault.kind === "error" && fault.status === 404) return null;
    throw new LedgerFault(fault, name);
  }

  activeContracts(
    activeAtOffset: number,
    eventFormat: EventFormat,
    limit: number,
  ): Promise<ActiveContractEntry[]> {
    const path = `/v2/state/active-contracts?limit=${limit}`;
    return this.#post(path, { activeAtOffset, eventFormat });
  }

  /** Creates a party hosted here; answers its full name. */
  async allocateParty(partyIdHint: string, userId: string): Promise<string> {
    const body = { partyIdHint, userId };
    const { partyDetails } = await this.#post<{ partyDetails: { party: string } }>(
      "/v2/parties",
      body,
    );
    return partyDetails.party;
  }

  async grantRights(userId: string, rights: readonly JsonObject[]): Promise<void> {
    await this.#post(`/v2/users/${encodeURIComponent(userId)}/rights`, { userId, rights });
  }

  #stream(limit: number): string {
    return `limit=${limit}&stream_idle_timeout_ms=${this.#options.streamIdleMs}`;
  }

  #get<T>(path: string): Promise<T> {
    return this.#read("GET", path);
  }

  #post<T>(path: string, body: object): Promise<T> {
    return this.#read("POST", path, body);
  }

  async #read<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.#exchange<T>(method, path, body);
    if (answer.kind === "ok") return answer.value;
    throw new LedgerFault(answer.fault, path.split("?")[0] ?? path);
  }

  async #exchange<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
    const first = await this.#once<T>(method, path, body);
    if (first.kind === "ok") return first;
    const outcome = classifyFault(first.fault);
    if (outcome.kind !== "rejected" || outcome.action !== "renew-token") return first;
    this.#options.tokens.renew();
    return this.#once(method, path, body);
  }

  async #once<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
    const { address, tokens, requestTimeoutMs } = this.#options;
    try {
      const headers = {
        authorization: `Bearer ${await tokens.token()}`,
        "content-type": "application/json",
      };
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(address.url + path, { method, headers, signal, ...sent });
      const text = await response.text();
      return answerOf<T>(response.status, text);
    } catch (error) {
      return { kind: "fault", fault: faultOf(error) };
    }
  }
}

function answerOf<T>(status: number, text: string): Answer<T> {
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    const error = { code: "MALFORMED_REQUEST", cause: text, context: {}, errorCategory: 8 };
    // A request the server could not read is answered in plain text.
    if (status === 400) return { kind: "fault", fault: { kind: "error", status, error } };
    return {
      kind: "fault",
      fault: { kind: "transport", words: `${status} ${text.slice(0, 200)}` },
    };
  }
  if (status >= 200 && status < 300) return { kind: "ok", value: body as T };
  if (isCantonError(body)) return { kind: "fault", fault: { kind: "error", status, error: body } };
  return { kind: "fault", fault: { kind: "transport", words: `${status} ${text.slice(0, 200)}` } };
}

function isCantonError(body: unknown): body is CantonError {
  if (typeof body !== "object" || body === null) return false;
  const { code, errorCategory, context } = body as Partial<CantonError>;
  return typeof code === "string" && typeof errorCategory === "number" && context instanceof Object;
}

function faultOf(error: unknown): Fault {
  if (error instanceof Error && error.name === "TimeoutError") return { kind: "timeout" };
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return { kind: "transport", words: cause instanceof Error ? cause.message : String(cause) };
}
