// Requests to the venue, over the routes that every client has. An answer that is no success becomes a
// `VenueFault` with the venue's own words.

/** What the venue refused, in its words; status 0 where it could not be reached. */
export class VenueFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "VenueFault";
    this.status = status;
  }
}

export interface RequestOptions {
  /** Session token of protected routes. */
  readonly token?: string;
  /** API key of routes that a key alone opens. */
  readonly apiKey?: string;
  readonly body?: unknown;
}

/** The words of an error: plain text, `{error}` or `{code, msg}`, as its route has it. */
function wordsOf(text: string, status: number): string {
  if (!text.startsWith("{")) return text === "" ? `The venue answered ${status}.` : text;
  const { error, msg } = JSON.parse(text) as { error?: string; msg?: string };
  return error ?? msg ?? text;
}

function headersOf({ token, apiKey, body }: RequestOptions): Record<string, string> {
  return {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(apiKey !== undefined && { "X-MBX-APIKEY": apiKey }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
}

/** Asks once; throws a `VenueFault`. A request that changes something is never repeated here. */
export async function request<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  let response: Response;
  try {
    const { body } = options;
    response = await fetch(path, {
      method,
      headers: headersOf(options),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new VenueFault(0, "The venue cannot be reached.");
  }
  const text = await response.text();
  if (!response.ok) throw new VenueFault(response.status, wordsOf(text, response.status));
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Words of anything thrown, for people. */
export function faultMessage(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
