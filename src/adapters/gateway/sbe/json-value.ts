// The JSON answers from which messages are made.

/** A value of a JSON answer. Answers are made by the venue, so their form is known. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}
