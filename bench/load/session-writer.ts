// Writes the requests of a load as frames of an order session, which is logged on and needs no signatures.

import type { RequestWriter } from "../../src/tools/load/spot-flow.ts";

/** As over HTTP: longer than any queue. */
const recvWindowMs = 60_000;

export class SessionWriter implements RequestWriter {
  request(method: "POST" | "DELETE", _path: string, query: string): string {
    const name = method === "POST" ? "order.place" : "order.cancel";
    const params = query.replaceAll("&", '","').replaceAll("=", '":"');
    return (
      `{"id":1,"method":"${name}","params":{"${params}",` +
      `"recvWindow":${recvWindowMs},"timestamp":${Date.now()}}}`
    );
  }
}
