// The JSON Ledger API v2 over HTTP: one method per exchange, bodies in the network's format. If an exchange fails,
// methods that prepare or submit a change return a Fault, from which the change's outcome is derived. Methods that only
// read throw a LedgerFault. The client keeps no state except its token. It retries only once, after a refused token.

import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { LedgerAddress } from "../../ports/ledger/ledger-endpoint.ts";
import type { AccessTokens } from "./access-token.ts";
import { answerShapes, type Shape } from "./answer-shapes.ts";
import type {
  ActiveContractEntry,
  ActiveContractsPage,
  ApiTransaction,
  CompletionEntry,
  EventFormat,
  JsonObject,
  PreparedAnswer,
  SubmitForTransaction,
  TransactionFormat,
  UpdateEntry,
} from "./api-shapes.ts";
import { classifyFault, type Fault } from "./outcome.ts";

/** Reports that a read failed; the message is for the operator. */
export class LedgerFault extends Error {
  override name = "LedgerFault";
  readonly fault: Fault;

  constructor(fault: Fault, what: string) {
    super(`${what}: ${messageOf(fault)}`);
    this.fault = fault;
  }
}

function messageOf(fault: Fault): string {
  if (fault.kind === "timeout") return "no answer in time";
  if (fault.kind === "transport") return fault.message;
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

  /** Returns true if `/livez` or `/readyz` answers 200; needs no token. */
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
    return (await this.#get("/v2/version", answerShapes.version)).version;
  }

  async prunedTo(): Promise<number> {
    const path = "/v2/state/latest-pruned-offsets";
    const pruned = await this.#get(path, answerShapes.pruned);
    return pruned.participantPrunedUpToInclusive ?? 0;
  }

  async ledgerEnd(): Promise<number> {
    return (await this.#get("/v2/state/ledger-end", answerShapes.end)).offset ?? 0;
  }

  async synchronizerId(): Promise<string> {
    const path = "/v2/state/connected-synchronizers";
    const { connectedSynchronizers } = await this.#get(path, answerShapes.synchronizers);
    const [first] = connectedSynchronizers ?? [];
    if (first === undefined) throw new Error("the participant is not connected to a synchronizer");
    return first.synchronizerId;
  }

  /**
   * Submits commands and waits for the transaction. Of the methods here, only this one and `execute` change contracts.
   */
  async submit(body: SubmitForTransaction): Promise<Answer<ApiTransaction>> {
    const path = "/v2/commands/submit-and-wait-for-transaction";
    const answer = await this.#exchange("POST", path, answerShapes.submitted, body);
    return answer.kind === "fault" ? answer : { kind: "ok", value: answer.value.transaction };
  }

  /** Makes the participant build a transaction for a party to sign; changes nothing. */
  prepare(body: JsonObject): Promise<Answer<PreparedAnswer>> {
    const path = "/v2/interactive-submission/prepare";
    return this.#exchange("POST", path, answerShapes.prepared, body);
  }

  /** Submits a signed transaction and waits for it. */
  execute(body: JsonObject): Promise<Answer<{ updateId: string; completionOffset: number }>> {
    const path = "/v2/interactive-submission/executeAndWait";
    return this.#exchange("POST", path, answerShapes.executed, body);
  }

  completions(
    userId: string,
    parties: readonly string[],
    beginExclusive: number,
    limit: number,
  ): Promise<CompletionEntry[]> {
    const path = `/v2/commands/completions?${this.#stream(limit)}`;
    return this.#post(path, answerShapes.completions, { userId, parties, beginExclusive });
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
    const body = { ...range, updateFormat: { includeTransactions: format } };
    return this.#post(path, answerShapes.updates, body);
  }

  /** Returns the transaction at `offset`; null if the parties of `format` see none at that offset. */
  updateAt(offset: number, format: TransactionFormat): Promise<ApiTransaction | null> {
    return this.#update("update-by-offset", { offset }, format);
  }

  /** Returns the transaction with that id; null if the parties of `format` do not see it. */
  updateById(updateId: string, format: TransactionFormat): Promise<ApiTransaction | null> {
    return this.#update("update-by-id", { updateId }, format);
  }

  async #update(name: string, which: object, format: TransactionFormat) {
    const body = { ...which, updateFormat: { includeTransactions: format } };
    const answer = await this.#exchange("POST", `/v2/updates/${name}`, answerShapes.update, body);
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
    return this.#post(path, answerShapes.contracts, { activeAtOffset, eventFormat });
  }

  /**
   * Returns a page of active contracts. `pageToken` is the token from the previous page, null for the first page. Needs
   * a network of version 3.5 or later.
   */
  activeContractsPage(
    activeAtOffset: number,
    eventFormat: EventFormat,
    maxPageSize: number,
    pageToken: string | null,
  ): Promise<ActiveContractsPage> {
    const from = pageToken === null ? {} : { pageToken };
    const body = { activeAtOffset, eventFormat, maxPageSize, ...from };
    const path = "/v2/state/active-contracts-page";
    return this.#read("GET", path, answerShapes.contractsPage, body);
  }

  /** Creates a party hosted by this participant; returns the party's full id. */
  async allocateParty(partyIdHint: string, userId: string): Promise<string> {
    const body = { partyIdHint, userId };
    const { partyDetails } = await this.#post("/v2/parties", answerShapes.party, body);
    return partyDetails.party;
  }

  async grantRights(userId: string, rights: readonly JsonObject[]): Promise<void> {
    const path = `/v2/users/${encodeURIComponent(userId)}/rights`;
    await this.#post(path, answerShapes.anything, { userId, rights });
  }

  #stream(limit: number): string {
    return `limit=${limit}&stream_idle_timeout_ms=${this.#options.streamIdleMs}`;
  }

  #get<T>(path: string, isAnswer: Shape<T>): Promise<T> {
    return this.#read("GET", path, isAnswer);
  }

  #post<T>(path: string, isAnswer: Shape<T>, body: object): Promise<T> {
    return this.#read("POST", path, isAnswer, body);
  }

  async #read<T>(method: string, path: string, isAnswer: Shape<T>, body?: object): Promise<T> {
    const answer = await this.#exchange(method, path, isAnswer, body);
    if (answer.kind === "ok") return answer.value;
    throw new LedgerFault(answer.fault, path.split("?")[0] ?? path);
  }

  async #exchange<T>(
    method: string,
    path: string,
    isAnswer: Shape<T>,
    body?: object,
  ): Promise<Answer<T>> {
    const first = await this.#once(method, path, isAnswer, body);
    if (first.kind === "ok") return first;
    const outcome = classifyFault(first.fault);
    if (outcome.kind !== "rejected" || outcome.action !== "renew-token") return first;
    this.#options.tokens.renew();
    return this.#once(method, path, isAnswer, body);
  }

  async #once<T>(
    method: string,
    path: string,
    isAnswer: Shape<T>,
    body?: object,
  ): Promise<Answer<T>> {
    const { address, tokens, requestTimeoutMs } = this.#options;
    try {
      const headers = {
        authorization: `Bearer ${await tokens.token()}`,
        "content-type": "application/json",
      };
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const url = address.url + path;
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response =
        method === "GET" && sent.body !== undefined
          ? await getWithBody({ url, headers, signal, body: sent.body })
          : await fetch(url, { method, headers, signal, ...sent });
      const text = await response.text();
      return answerOf(response.status, text, isAnswer);
    } catch (error) {
      return { kind: "fault", fault: faultOf(error) };
    }
  }
}

function answerOf<T>(status: number, text: string, isAnswer: Shape<T>): Answer<T> {
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    const error = { code: "MALFORMED_REQUEST", cause: text, context: {}, errorCategory: 8 };
    // The server answers in plain text if it cannot parse a request.
    if (status === 400) return { kind: "fault", fault: { kind: "error", status, error } };
  }
  if (status >= 200 && status < 300 && isAnswer(body)) return { kind: "ok", value: body };
  if (status >= 300 && answerShapes.error(body))
    return { kind: "fault", fault: { kind: "error", status, error: body } };
  return {
    kind: "fault",
    fault: { kind: "transport", message: `${status} ${text.slice(0, 200)}` },
  };
}

function faultOf(error: unknown): Fault {
  if (error instanceof Error && error.name === "TimeoutError") return { kind: "timeout" };
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return { kind: "transport", message: cause instanceof Error ? cause.message : String(cause) };
}

interface GetWithBody {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/**
 * Sends a GET with a body, which fetch cannot do and the network requires for pages of active contracts. Returns the
 * whole answer; throws if it does not arrive in time.
 */
function getWithBody({ url, headers, body, signal }: GetWithBody): Promise<Response> {
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const length = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const options = { method: "GET", headers: { ...headers, "content-length": length }, signal };
    const failed = (error: Error) => reject(signal.aborted ? signal.reason : error);
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", failed);
      incoming.on("end", () => {
        resolve(new Response(Buffer.concat(chunks), { status: incoming.statusCode ?? 0 }));
      });
    });
    outgoing.on("error", failed);
    outgoing.end(body);
  });
}
