// Requests to the venue over its public routes. An error answer becomes a `VenueFault` with the message of the
// venue.

/** What is said while the venue cannot be reached: it is no longer true once it can. */
export const unreachableText = "Cannot reach the venue. Check your connection.";

/** An error answer with its message; status 0 if the venue could not be reached. */
export class VenueFault extends Error {
  readonly status: number;
  /** Number of the error on the Binance-style surfaces; null elsewhere. */
  readonly code: number | null;

  constructor(status: number, message: string, code: number | null = null) {
    super(message);
    this.name = "VenueFault";
    this.status = status;
    this.code = code;
  }
}

/** Parameters of a route, as the texts of a query. */
export type Parameters = Readonly<Record<string, string>>;

export interface RequestOptions {
  /** Session token of protected routes. */
  readonly token?: string;
  /** API key, for routes that need a key but no signature. */
  readonly apiKey?: string;
  readonly body?: unknown;
}

/** The fault of an answer that does not come from the venue: it counts as none, whatever its status says. */
function foreignFault(status: number): VenueFault {
  const text = "Something between this page and the venue has answered instead of the venue";
  return new VenueFault(0, `${text} (status ${status}).`);
}

/** Returns the fault of an answer, which is plain text, `{error}` or `{code, msg}`, depending on the route. */
function faultOf(text: string, status: number): VenueFault {
  if (text === "") return new VenueFault(status, `Request failed with status ${status}.`);
  if (text.trimStart().startsWith("<")) return foreignFault(status);
  if (!text.startsWith("{")) return new VenueFault(status, text);
  const { error, msg, code, data } = readAnswer<FaultAnswer>(text, status);
  const reasons = [data?.cancelResponse?.msg, data?.newOrderResponse?.msg];
  const message = [error ?? msg ?? text, ...reasons].filter((part) => part !== undefined);
  return new VenueFault(status, message.join(" "), code ?? null);
}

function readAnswer<T>(text: string, status: number): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw foreignFault(status);
  }
}

interface FaultAnswer {
  readonly error?: string;
  readonly msg?: string;
  readonly code?: number;
  /** Of a replaced order: what became of the cancel and of the new order. */
  readonly data?: Readonly<Record<"cancelResponse" | "newOrderResponse", { msg?: string } | null>>;
}

function headersOf({ token, apiKey, body }: RequestOptions): Record<string, string> {
  return {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(apiKey !== undefined && { "X-MBX-APIKEY": apiKey }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
}

/** Sends one request; throws a `VenueFault`. It never retries. */
export async function request<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  let response: Response;
  let text: string;
  try {
    const { body } = options;
    response = await fetch(path, {
      method,
      headers: headersOf(options),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch {
    throw new VenueFault(0, unreachableText);
  }
  if (!response.ok) throw faultOf(text, response.status);
  return text === "" ? (null as T) : readAnswer<T>(text, response.status);
}

/** Whether an error leaves open whether the venue has executed the request. */
export function isOutcomeUnknown(fault: unknown): boolean {
  return fault instanceof VenueFault && [0, 408, 503, 504].includes(fault.status);
}

/** Returns the message of anything that was thrown, as a sentence: those of the venue begin with a small letter. */
export function faultMessage(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  return message.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase());
}
