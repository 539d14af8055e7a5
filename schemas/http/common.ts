// What a parameter of the Binance-style surfaces may look like: texts that came from a query or a
// form, with the meaning they are given. An empty text never arrives here: it counts as absent.

import * as z from "zod";

/** Plain decimals as Binance takes them: no sign, no exponent. Scaling is the market's business. */
export const decimalText = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/);

// `api` is what the OpenAPI document says of a parameter whose text stands for something else than a text.

/** A whole number that a double holds exactly. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ api: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } });

/** Times from here on are microseconds: as milliseconds they would be in the year 5138. */
const microsecondsFrom = 100_000_000_000_000;

/**
 * A time in milliseconds, or in microseconds as spot takes it too; as milliseconds, whose microseconds a double
 * holds exactly.
 */
export const unixMs = wholeNumber
  .transform((time) => (time < microsecondsFrom ? time : Math.floor(time / 1000)))
  .refine((ms) => ms <= 9_000_000_000_000)
  .meta({ api: { type: "integer", minimum: 0, maximum: 9_000_000_000_000 } });

/** A time zone as hours ahead of UTC, −12:00 to +14:00 (`8`, `-1:00`, `05:45`); as milliseconds. */
export const zoneOffset = z
  .string()
  .regex(/^[+-]?\d{1,2}(:[0-5]\d)?$/)
  .transform((text) => {
    const [hours = "", minutes = "0"] = text.split(":");
    const size = Math.abs(Number(hours)) * 60 + Number(minutes);
    return (text.startsWith("-") ? -size : size) * 60_000;
  })
  .refine((ms) => ms >= -12 * 3_600_000 && ms <= 14 * 3_600_000)
  .meta({ api: { type: "string", default: "0" } });

/** A number of rows, brought into 1 … `limitMax`; `standard` when absent. Spec LIM-18. */
export function rowLimit(standard: number, limitMax: number) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform((text) => Math.min(Math.max(Number(text), 1), limitMax))
    .default(standard)
    .meta({ api: { type: "integer", minimum: 1, maximum: limitMax } });
}

/** Name of a market in any of its forms; whether it exists is asked later. */
export const symbolText = z.string().regex(/^[A-Z0-9-]{1,20}$/);

export const side = z.enum(["BUY", "SELL"]);

export const clientOrderId = z.string().regex(/^[.A-Z:/a-z0-9_-]{1,36}$/);

/** true or false in any case. */
export const truth = z
  .string()
  .regex(/^(true|false)$/i)
  .transform((text) => text.toLowerCase() === "true")
  .meta({ api: { type: "boolean" } });

/** Present, in a form nobody needs to read. */
export const anyText = z.string();

/** One order, by the venue's id or by the client's; at least one is checked by the route. */
export const orderReference = {
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  origClientOrderId: clientOrderId.optional(),
};

export const oneSymbol = z.object({ symbol: symbolText });
export const maybeSymbol = z.object({ symbol: symbolText.optional() });
export const orderQuery = z.object(orderReference);
