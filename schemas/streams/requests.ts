// Requests of a compat client over a stream connection and over an order session, and the parameters of the
// listen key routes.

import * as z from "zod";

/** SUBSCRIBE, UNSUBSCRIBE, LIST_SUBSCRIPTIONS; the id is repeated in the answer. */
export const streamRequest = z.object({
  method: z.enum(["SUBSCRIBE", "UNSUBSCRIBE", "LIST_SUBSCRIPTIONS"]),
  params: z.array(z.string().max(64)).max(1024).optional(),
  id: z.union([z.int(), z.string().max(64), z.null()]).optional(),
});

const listenKey = z.string().regex(/^[A-Za-z0-9]{64}$/);

/** On spot, the listen key is required. */
export const listenKeyQuery = z.object({ listenKey });

/** On futures, a request without a listen key applies to all listen keys of the account. */
export const maybeListenKey = z.object({ listenKey: listenKey.optional() });

/** Longest text of a parameter, of its name and of other texts of a session request; most entries of a list. */
export const sessionBounds = { value: 4096, text: 64, list: 64 } as const;

/** A parameter of a session request. A list is passed to the route as JSON text. */
const value = z.union([
  z.string().max(sessionBounds.value),
  z.number(),
  z.boolean(),
  z.array(z.unknown()).max(sessionBounds.list),
]);

export const sessionRequest = z.object({
  id: z.union([z.int(), z.string().max(sessionBounds.text), z.null()]).optional(),
  method: z.string().max(sessionBounds.text),
  params: z.record(z.string().max(sessionBounds.text), value).optional(),
});
