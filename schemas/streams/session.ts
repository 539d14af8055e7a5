// One request of an order session: a method, its parameters, and an id that the answer repeats.

import * as z from "zod";

/** Lists are given to routes as JSON text. */
const value = z.union([
  z.string().max(4096),
  z.number(),
  z.boolean(),
  z.array(z.unknown()).max(64),
]);

export const sessionRequest = z.object({
  id: z.union([z.int(), z.string().max(64), z.null()]).optional(),
  method: z.string().max(64),
  params: z.record(z.string().max(64), value).optional(),
});
