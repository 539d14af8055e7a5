// Sends a GET request as a relaying attacker would: signed for one host, sent to another.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { SignatureHeaders } from "../../src/services/access/message-signature.ts";

/** Sends a request to `url` with `host` as its Host header; returns status and body of the answer. */
export function sendRelayed(
  url: string,
  given: { readonly path: string; readonly host: string; readonly headers: SignatureHeaders },
): Promise<{ readonly status: number; readonly body: string }> {
  const { path, host, headers } = given;
  const place = new URL(path, url);
  const request = place.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const incoming = request(place, { headers: { host, ...headers }, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    incoming.on("error", reject).end();
  });
}
