// Parameters of the routes of listen keys.

import * as z from "zod";

const listenKey = z.string().regex(/^[A-Za-z0-9]{64}$/);

/** Spot names the key. */
export const listenKeyQuery = z.object({ listenKey });

/** Futures mean every key of the account where none is named. */
export const maybeListenKey = z.object({ listenKey: listenKey.optional() });
