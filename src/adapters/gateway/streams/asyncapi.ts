// The AsyncAPI document of the streams. It is generated from the schemas that parse requests and that frames must
// satisfy.

import * as z from "zod";
import {
  marketPayloads,
  noticePayloads,
  userPayloads,
} from "../../../../schemas/streams/payloads.ts";
import { sessionRequest, streamRequest } from "../../../../schemas/streams/requests.ts";
import { compatPrefix } from "../requests/surface-view.ts";
import { sbePrefix } from "./stream-list.ts";

type Json = Readonly<Record<string, unknown>>;

const requests = { streamRequest, sessionRequest } as const;
const payloads = { ...marketPayloads, ...userPayloads, ...noticePayloads, ...requests } as const;
type MessageName = keyof typeof payloads;

interface Channel {
  readonly address: string;
  readonly summary: string;
  /** Messages that the venue sends. */
  readonly sends: readonly MessageName[];
  /** Messages that the venue accepts; empty where it ignores frames. */
  readonly takes: readonly MessageName[];
}

const market = Object.keys(marketPayloads) as MessageName[];
const user = Object.keys(userPayloads) as MessageName[];
const notices = Object.keys(noticePayloads) as MessageName[];
const rootFeeds: readonly MessageName[] = ["depthLevels", "trade", "kline", "ticker"];

const channels: Readonly<Record<string, Channel>> = {
  stream: {
    address: "/ws/{stream}",
    summary:
      "Bare payloads of spot market data: depth5, depth10, depth20, trade, kline_1m, ticker.",
    sends: rootFeeds,
    takes: [],
  },
  combined: {
    address: "/stream",
    summary: "The payloads of /ws, each wrapped as {stream, data}; the query names the streams.",
    sends: rootFeeds,
    takes: [],
  },
  compatStream: {
    address: `${compatPrefix}/ws`,
    summary:
      "Market data of spot and perpetuals, named by requests or in the URL, and user data by listen key.",
    sends: [...market, ...user, ...notices],
    takes: ["streamRequest"],
  },
  compatCombined: {
    address: `${compatPrefix}/stream`,
    summary: "The payloads of /compat/ws, each wrapped as {stream, data}.",
    sends: [...market, ...user, ...notices],
    takes: ["streamRequest"],
  },
  sbeStream: {
    address: `${sbePrefix}/ws`,
    summary:
      "Market data of spot in SBE: trade, bestBidAsk, depth, depth20. Data comes in binary frames of the published schema; only requests, their answers and notices are JSON.",
    sends: notices,
    takes: ["streamRequest"],
  },
  spotSession: {
    address: `${compatPrefix}/ws-api/v3`,
    summary:
      "Orders and user data of spot over one connection. With responseFormat=sbe, answers and user data are in SBE.",
    sends: [...user, ...notices],
    takes: ["sessionRequest"],
  },
  futuresSession: {
    address: `${compatPrefix}/ws-fapi/v1`,
    summary: "Orders and user data of perpetuals over one connection.",
    sends: [...user, ...notices],
    takes: ["sessionRequest"],
  },
};

function messagesOf({ sends, takes }: Channel): Json {
  const names = [...sends, ...takes];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function operation(
  channel: string,
  action: "send" | "receive",
  names: readonly MessageName[],
): Json {
  const address = `#/channels/${channel}`;
  return {
    action,
    channel: { $ref: address },
    messages: names.map((name) => ({ $ref: `${address}/messages/${name}` })),
  };
}

function operations(): Json {
  const all: Record<string, Json> = {};
  for (const [name, { sends, takes }] of Object.entries(channels)) {
    all[`${name}Sends`] = operation(name, "send", sends);
    if (takes.length > 0) all[`${name}Takes`] = operation(name, "receive", takes);
  }
  return all;
}

/** The AsyncAPI document. */
export function asyncApiDocument(): Json {
  const messages = Object.entries(payloads).map(([name, schema]) => {
    const { $schema: _dialect, ...payload } = z.toJSONSchema(schema, { io: "input" });
    return [name, { name, contentType: "application/json", payload }];
  });
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Rialto, streams",
      version: "1",
      description: "Market data, user data and order sessions over WebSocket.",
    },
    servers: {
      venue: {
        host: "{host}",
        protocol: "ws",
        variables: { host: { description: "Name and port of the venue.", default: "localhost" } },
      },
    },
    defaultContentType: "application/json",
    channels: Object.fromEntries(
      Object.entries(channels).map(([name, channel]) => [
        name,
        {
          address: channel.address,
          description: channel.summary,
          messages: messagesOf(channel),
          ...(channel.address.includes("{stream}") && {
            parameters: { stream: { description: "One name, or several separated by /." } },
          }),
        },
      ]),
    ),
    operations: operations(),
    components: { messages: Object.fromEntries(messages) },
  };
}
