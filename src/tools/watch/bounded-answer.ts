// Requests to venues, peers and webhooks. None of them is trusted: the size of an answer and its time are limited, and
// redirects are not followed, so that nobody sends a watcher elsewhere, such as into its own network.

/** Nothing usable was answered; the message says who and why. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
  /** The status of the answer; null if there was none, or not within the limits. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

export interface AnswerTerms {
  readonly bytesMax: number;
  /** Ends the request early. */
  readonly signal: AbortSignal;
  /** A JSON document to POST; without it the request is a GET. */
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Longest time for a whole answer: a page of 1,000 epochs takes less than a second to render. */
const timeoutMs = 15_000;

/** Returns the answer, whatever its status; throws NoAnswer if there is none within the limits. */
export async function answerOf(url: URL, terms: AnswerTerms): Promise<Answer> {
  const { bytesMax, signal, body } = terms;
  const late = AbortSignal.timeout(timeoutMs);
  const sent =
    body === undefined
      ? {}
      : { method: "POST", body, headers: { "content-type": "application/json" } };
  try {
    const both = AbortSignal.any([signal, late]);
    const answer = await fetch(url, { ...sent, redirect: "error", signal: both });
    return { status: answer.status, text: await textIn(answer, bytesMax) };
  } catch (error) {
    throw new NoAnswer(`${url.host} ${late.aborted ? "did not answer in time" : reasonOf(error)}`);
  }
}

/** Returns the JSON of an answer with status 200; throws NoAnswer otherwise. */
export function jsonIn({ status, text }: Answer, url: URL): unknown {
  if (status !== 200)
    throw new NoAnswer(`${url.host} answered ${status} to ${url.pathname}`, status);
  try {
    return JSON.parse(text);
  } catch {
    throw new NoAnswer(`${url.host} did not answer JSON to ${url.pathname}`);
  }
}

/** The limit counts bytes after decompression. */
async function textIn(answer: Response, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error(`answered more than ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  const { code } = cause as NodeJS.ErrnoException;
  return `cannot be reached (${code ?? cause.message})`;
}
