// A GET with a body, as the network asks for pages of active contracts: fetch sends none.

import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

export interface GetWithBody {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The whole answer; throws where there is none, or none in time. */
export function getWithBody({ url, headers, body, signal }: GetWithBody): Promise<Response> {
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
