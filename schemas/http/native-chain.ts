// What the routes about epochs and proofs take.

import * as z from "zod";
import { rowLimit } from "./common.ts";

/** A number in digits that a double holds exactly. */
const number = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/)
  .transform(Number);

export const epochsQuery = z.object({
  limit: rowLimit(100, 1000),
  cursor: number.optional(),
});

export const proofQuery = z.object({
  seq: number.optional(),
  ref_id: z
    .string()
    .regex(/^[ot]-[1-9]\d{0,14}$/)
    .optional(),
});
