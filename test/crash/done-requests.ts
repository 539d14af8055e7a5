// Which requests of clients were done, by route, and the routes of which a long run must have done some.

import { algoPath, futuresBatchPath } from "./futures-steps.ts";

/** Number of requests that were answered with 200, by method and path. */
export type DoneRequests = ReadonlyMap<string, number>;

export function sumOf(all: readonly DoneRequests[]): DoneRequests {
  const sum = new Map<string, number>();
  for (const done of all)
    for (const [route, count] of done) sum.set(route, (sum.get(route) ?? 0) + count);
  return sum;
}

/** The most frequent ones first. */
export function doneText(done: DoneRequests): string {
  const rows = [...done].sort(([, one], [, other]) => other - one);
  return `done: ${rows.map(([route, count]) => `${count} ${route}`).join(", ")}`;
}

/**
 * The routes by which clients change something, of which none was done. Groups of market-maker protection are counted on
 * spot only: the other surface has the same ones.
 */
export function undone(done: DoneRequests): string[] {
  return changingRoutes.filter((route) => !done.has(route));
}

const changingRoutes: readonly string[] = [
  ...["oco", "oto", "otoco", "opo", "opoco"].map((type) => `POST /api/v3/orderList/${type}`),
  ...["/api/v3", "/fapi/v1"].flatMap((path) => [
    `POST ${path}/order`,
    `DELETE ${path}/order`,
    `POST ${path}/massQuote`,
    `DELETE ${path}/massCancel`,
  ]),
  ...["POST /api/v3/mmpSet", "POST /api/v3/mmpReset", "DELETE /api/v3/mmp"],
  "POST /api/v3/order/cancelReplace",
  "PUT /api/v3/order/amend/keepPriority",
  "PUT /fapi/v1/order",
  `PUT ${futuresBatchPath}`,
  `POST ${algoPath}`,
  `DELETE ${algoPath}`,
];
