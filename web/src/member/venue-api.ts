// Requests to the venue over its public routes. An error answer becomes a `VenueFault` with the message of the
// venue.

/** An error answer with its message; status 0 if the venue could not be reached. */
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
  /** API key, for routes that need a key but no signature. */
  readonly apiKey?: string;
  readonly body?: unknown;
}

/** Returns the message of an error, which is plain text, `{error}` or `{code, msg}`, depending on the route. */
function wordsOf(text: string, status: number): string {
  if (!text.startsWith("{")) return text === "" ? `Request failed with status ${status}.` : text;
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

/** Sends one request; throws a `VenueFault`. It never retries. */
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
    throw new VenueFault(0, "Cannot reach the venue. Check your connection.");
  }
  const text = await response.text();
  if (!response.ok) throw new VenueFault(response.status, wordsOf(text, response.status));
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Returns the message of anything that was thrown. */
export function faultMessage(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
