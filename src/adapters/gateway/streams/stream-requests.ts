// The requests of the compat view: SUBSCRIBE, UNSUBSCRIBE, LIST_SUBSCRIPTIONS (binance-compat 9.6).
// Each is answered with the id it came with; a bad one is told so and the connection stays. The limit
// of streams counts what there would be afterwards, and a refused request changes nothing.

import { streamRequest } from "../../../../schemas/streams/requests.ts";
import { streamsPerConnectionMax } from "../../../core/limits.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { StreamConnection } from "./stream-connection.ts";
import type { StreamConnections } from "./stream-connections.ts";
import { checked } from "./stream-list.ts";
import type { StreamName } from "./stream-name.ts";
import { topicOf } from "./stream-topics.ts";

/** Ids that can be repeated in an answer; anything else is answered as null. */
type RequestId = string | number | null;

/** Binance's code of a request that cannot be read. */
const invalidRequest = 2;

function refusal(id: RequestId, words: string): string {
  const error = { code: invalidRequest, msg: `Invalid request: ${words}` };
  return JSON.stringify({ error, id });
}

function idOf(value: unknown): RequestId {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  const isText = typeof id === "string" && id.length <= 64;
  return isText || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface StreamRequestParts {
  readonly connections: StreamConnections;
  readonly table: MarketTable;
  /** Counts what the beginning of streams costs; false beyond what the address may use. */
  mayBegin(names: readonly StreamName[]): boolean;
}

/** Does what a frame of a client asks; answers the text to send back. */
export function answerStreamRequest(
  text: string,
  connection: StreamConnection,
  { connections, table, mayBegin }: StreamRequestParts,
): string {
  const value = parsed(text);
  const id = idOf(value);
  const read = streamRequest.safeParse(value);
  if (!read.success) {
    const where = String(read.error.issues[0]?.path[0] ?? "not a JSON object");
    return refusal(id, where);
  }
  const { method, params = [] } = read.data;
  if (method === "LIST_SUBSCRIPTIONS") {
    const result = [...connection.streams.values()].map(({ requested }) => requested);
    return JSON.stringify({ result, id });
  }
  const { names, fault } = checked(params, table, connection);
  if (fault !== "") return refusal(id, fault);
  if (method === "UNSUBSCRIBE") {
    for (const name of names) connections.unsubscribe(connection, name);
    return JSON.stringify({ result: null, id });
  }
  const topics = new Set(names.map((name) => topicOf(name, connection.isWrapped)));
  for (const topic of connection.streams.keys()) topics.add(topic);
  if (topics.size > streamsPerConnectionMax) {
    return refusal(id, `too many streams: ${topics.size}, at most ${streamsPerConnectionMax}`);
  }
  const fresh = names.filter(
    (name) => !connection.streams.has(topicOf(name, connection.isWrapped)),
  );
  if (!mayBegin(fresh)) return refusal(id, "too many requests, try again in the next minute");
  // The answer comes before the first frame of a stream it confirms.
  connection.send(JSON.stringify({ result: null, id }));
  for (const name of names) connections.subscribe(connection, name);
  return "";
}
