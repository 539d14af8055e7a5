// What a client of the compat view may ask over a stream connection.

import * as z from "zod";

/** SUBSCRIBE, UNSUBSCRIBE, LIST_SUBSCRIPTIONS; the id is repeated in the answer. */
export const streamRequest = z.object({
  method: z.enum(["SUBSCRIBE", "UNSUBSCRIBE", "LIST_SUBSCRIPTIONS"]),
  params: z.array(z.string().max(64)).max(1024).optional(),
  id: z.union([z.int(), z.string().max(64), z.null()]).optional(),
});
