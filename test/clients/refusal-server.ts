// A server that refuses every request with one of the venue's own answers. The path selects the answer: `/1000`,
// `/2010` (a frozen account) or `/2012`. No request to a venue can provoke these three.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  errorBody,
  type SurfaceError,
  unexpected,
} from "../../src/adapters/gateway/requests/surface-error.ts";
import { spotErrors } from "../../src/adapters/gateway/spot/error-map.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";

const answers: Readonly<Record<string, SurfaceError>> = {
  "1000": unexpected,
  "2010": spotErrors[RejectReason.accountFrozen],
  "2012": spotErrors[RejectReason.notEnrolled],
};

export const servedCodes: readonly number[] = Object.keys(answers).map((code) => -Number(code));

export async function openRefusalServer(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    const error = answers[/^\/(\d+)\//.exec(request.url ?? "")?.[1] ?? ""] ?? unexpected;
    response.writeHead(error.status, { "Content-Type": "application/json" });
    response.end(errorBody(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
