// The form of an answer as the OpenAPI document tells it. It is taken from one answer that a venue gave, which a test
// compares; what that one answer could not show is put right here: that tickers answer a row or a list of rows, which
// fields may be missing, and which may be null.

import { answerSchemas } from "../../../../schemas/http/generated/answer-schemas.ts";
import { ledgerAnswerSchemas } from "../../../../schemas/http/generated/ledger-answer-schemas.ts";

type Json = Readonly<Record<string, unknown>>;

interface Form {
  readonly type?: string | readonly string[];
  readonly items?: Form;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
}

/** Rows of one market or lists of them; a market without a price has none on compat, and MINI rows have less. */
const tickers = /\/ticker(\/\w+)?$|\/premiumIndex$/;

/** Fields that answers may leave out. */
const optionalFields: Readonly<Record<string, readonly string[]>> = {
  "GET /api/v3/avgPrice": ["price"],
};

/** Objects whose fields are names of assets. */
const byAsset: ReadonlySet<string> = new Set(["GET /sapi/v1/asset/assetDetail"]);

/** Fields that may be null wherever they stand. */
const nullable: ReadonlySet<string> = new Set([
  ...["label", "next_cursor", "revoked_at"],
  // Before the first epoch is sealed.
  ...["head_epoch", "head_root"],
]);

function withNulls(form: Form): Form {
  const { items, properties } = form;
  return {
    ...form,
    ...(items !== undefined && { items: withNulls(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, fieldOf(name, inner)]),
      ),
    }),
  };
}

function fieldOf(name: string, form: Form): Form {
  const types = [form.type ?? []].flat();
  const isNullable = nullable.has(name) && !types.includes("null");
  return isNullable ? { ...form, type: [...types, "null"] } : withNulls(form);
}

function without(form: Form, names: readonly string[]): Form {
  const required = (form.required ?? []).filter((name) => !names.includes(name));
  return { ...form, required };
}

/** The form of a route's answer; undefined where nothing is known of it. */
export function answerForm(route: string): Json | undefined {
  const known = (answerSchemas[route] ?? ledgerAnswerSchemas[route]) as Form | undefined;
  if (known === undefined) return undefined;
  const form = withNulls(known);
  if (tickers.test(route)) {
    const row = { ...(form.items ?? form), required: ["symbol"] };
    return { anyOf: [row, { type: "array", items: row }] };
  }
  if (byAsset.has(route)) {
    const [first] = Object.values(form.properties ?? {});
    return { type: "object", additionalProperties: first ?? {} };
  }
  return { ...without(form, optionalFields[route] ?? []) };
}
