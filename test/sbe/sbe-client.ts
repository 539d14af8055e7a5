// Requests for SBE answers of a front, decoded by the published schema.

import { type Decoded, PublishedSchema } from "../support/sbe/published-schema.ts";
import type { FrontFixture, TestKey } from "../surface/front-fixture.ts";

export const spotSchema = new PublishedSchema("spot_3_5.xml");
export const streamSchema = new PublishedSchema("stream_1_0.xml");

export const sbeHeaders = { Accept: "application/sbe", "X-MBX-SBE": "3:5" };

export interface SbeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Sends a request with `headers`; signs it if a key is given. */
export async function request(
  front: FrontFixture,
  method: string,
  path: string,
  {
    parameters = {},
    key,
    headers = sbeHeaders,
  }: {
    parameters?: Record<string, string | number | boolean>;
    key?: TestKey;
    headers?: Record<string, string>;
  } = {},
): Promise<SbeReply> {
  const isKeyed = /userDataStream/.test(path);
  const all =
    key === undefined || isKeyed
      ? parameters
      : { ...parameters, timestamp: Math.floor(front.nowUs() / 1000) };
  let text = Object.entries(all)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");
  if (key !== undefined && !isKeyed) text += `&signature=${key.sign(text)}`;
  const answer = await fetch(`${front.base}/compat${path}${text === "" ? "" : `?${text}`}`, {
    method,
    headers: { ...headers, ...(key && { "X-MBX-APIKEY": key.value }) },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes };
}

/** The message of an answer. */
export function decoded({ bytes }: SbeReply): Decoded {
  return spotSchema.decode(bytes);
}
