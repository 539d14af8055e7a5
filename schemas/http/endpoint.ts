// One entry of the table of endpoints.

import type * as z from "zod";

export interface Endpoint {
  readonly parameters: z.ZodObject;
  /** What it answers or does, as the summary of a page. */
  readonly says: string;
}
