// Formats of parameters of the Binance-style surfaces: texts from a query or form, which are parsed to typed values. An
// empty text counts as absent and never arrives here.

import * as z from "zod";

/** Plain decimals as Binance accepts them: no sign, no exponent. The market's steps determine the scale. */
export const decimalText = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/);

// If the text of a parameter stands for a value of another type, `api` in its metadata is the OpenAPI schema of that
// type.

/** A whole number that a double holds exactly. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ api: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } });

/** A time of at least this number is in microseconds: as milliseconds, this number would be in the year 5138. */
const microsecondsFrom = 100_000_000_000_000;

/**
 * A time in milliseconds, or in microseconds, which spot accepts too. It is parsed to milliseconds and limited so that
 * a double holds its microseconds exactly.
 */
export const unixMs = wholeNumber
  .transform((time) => (time < microsecondsFrom ? time : Math.floor(time / 1000)))
  .refine((ms) => ms <= 9_000_000_000_000)
  .meta({ api: { type: "integer", minimum: 0, maximum: 9_000_000_000_000 } });

/** A time zone as hours ahead of UTC, −12:00 to +14:00 (`8`, `-1:00`, `05:45`); parsed to milliseconds. */
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

/** A number of rows, clamped to 1 … `limitMax`; `standard` if the parameter is absent. Spec LIM-18. */
export function rowLimit(standard: number, limitMax: number) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform((text) => Math.min(Math.max(Number(text), 1), limitMax))
    .default(standard)
    .meta({ api: { type: "integer", minimum: 1, maximum: limitMax } });
}

/** Name of a market, as symbol or alias; the route checks that the market exists. */
export const symbolText = z.string().regex(/^[A-Z0-9-]{1,20}$/);

export const side = z.enum(["BUY", "SELL"]);

export const clientOrderId = z.string().regex(/^[.A-Z:/a-z0-9_-]{1,36}$/);

/** true or false in any case. */
export const truth = z
  .string()
  .regex(/^(true|false)$/i)
  .transform((text) => text.toLowerCase() === "true")
  .meta({ api: { type: "boolean" } });

/** Any text; the route checks its value. */
export const anyText = z.string();

/** One order, identified by the venue's id or by the client's; the route checks that one is given. */
export const orderReference = {
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  origClientOrderId: clientOrderId.optional(),
};

export const oneSymbol = z.object({ symbol: symbolText });
export const maybeSymbol = z.object({ symbol: symbolText.optional() });
export const orderQuery = z.object(orderReference);
