// The OpenAPI document of all three surfaces, generated from the table of routes and the schemas that parse their
// requests, so that it always matches the program.

import * as z from "zod";
import { answerSchemas } from "../../../../schemas/http/generated/answer-schemas.ts";
import { ledgerAnswerSchemas } from "../../../../schemas/http/generated/ledger-answer-schemas.ts";
import { parameterDescriptions } from "../../../../schemas/http/parameter-descriptions.ts";
import { samplesOf } from "./example.ts";
import type { RouteTerms } from "./route.ts";
import { compatPrefix, nativePrefix, type SurfaceView } from "./surface-view.ts";

type Json = Readonly<Record<string, unknown>>;

const nothing = z.object({});

const errorReference = { $ref: "#/components/schemas/Error" };
const limited = { description: "A limit is reached: -1003.", ...jsonOf(errorReference) };

function jsonOf(schema: Json): { readonly content: Json } {
  return { content: { "application/json": { schema } } };
}

function parameterOf(name: string, schema: unknown, isRequired: boolean): Json {
  const description = parameterDescriptions[name];
  return {
    name,
    in: "query",
    required: isRequired,
    ...(description !== undefined && { description }),
    schema,
  };
}

const signingParameters: readonly Json[] = [
  parameterOf("timestamp", { type: "integer" }, true),
  parameterOf("recvWindow", { type: "number", maximum: 60_000, default: 5000 }, false),
  parameterOf("signature", { type: "string" }, true),
];

/**
 * The schema of the type that a parameter's text encodes; the schema of the text itself if it encodes no other type.
 * Spec OPS-11.
 */
function formOf(property: Json): Json {
  const { api, ...form } = property;
  return (api as Json | undefined) ?? form;
}

/** The default value of a parameter, if it has one. */
function standardOf(field: z.ZodType): Json {
  const absent = field.safeParse(undefined);
  return absent.success && absent.data !== undefined ? { default: absent.data } : {};
}

/** The parameters of a schema in OpenAPI form, without those that are never accepted. */
function parametersOf(schema: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" });
  return Object.entries(schema.shape as Record<string, z.ZodType>)
    .map(([name, field]) => ({ name, field, property: properties[name] as Json }))
    .filter(({ property }) => !("not" in property))
    .map(({ name, field, property }) =>
      parameterOf(name, { ...standardOf(field), ...formOf(property) }, required.includes(name)),
    );
}

interface Form {
  readonly type?: string | readonly string[];
  readonly items?: Form;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
}

/**
 * Text fields that can be null in any answer. They are listed here, because a single recorded answer cannot show both
 * a text and null.
 */
const nullable: ReadonlySet<string> = new Set([
  ...["label", "next_cursor", "revoked_at", "commit"],
  // These fields are null before the first epoch is sealed.
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
  const types = [form.type ?? "string"].flat();
  const isNullable = nullable.has(name) && !types.includes("null");
  return isNullable ? { ...form, type: [...types, "null"] } : withNulls(form);
}

function without(form: Form, names: readonly string[]): Form {
  const required = (form.required ?? []).filter((name) => !names.includes(name));
  return { ...form, required };
}

/**
 * The schema of a route's answer, or undefined if it is unknown. It is derived from a recorded answer of a venue, and a
 * test compares it with new answers. The route's declaration adds what one answer cannot show.
 */
function answerForm({ name, form: said }: RouteTerms): Json | undefined {
  const known = (ledgerAnswerSchemas[name] ?? answerSchemas[name]) as Form | undefined;
  if (known === undefined) return undefined;
  const form = withNulls(known);
  if (said === "rows") {
    const row = { ...(form.items ?? form), required: ["symbol"] };
    return { anyOf: [row, { type: "array", items: row }] };
  }
  if (said === "byAsset") {
    const [first] = Object.values(form.properties ?? {});
    return { type: "object", additionalProperties: first ?? {} };
  }
  return { ...without(form, typeof said === "object" ? [said.optional] : []) };
}

/** Content types of answers that are not JSON. */
const otherTypes = { svg: "image/svg+xml", text: "text/plain" } as const;

function doneOf(route: RouteTerms): Json {
  const { form } = route;
  if (form === "svg" || form === "text")
    return {
      description: "Done.",
      content: { [otherTypes[form]]: { schema: { type: "string" } } },
    };
  const schema = answerForm(route);
  return {
    description: "Done.",
    content: { "application/json": schema === undefined ? {} : { schema } },
  };
}

function answersOf(route: RouteTerms): Json {
  const { security, faults = {} } = route;
  const fault = (description: string) => ({ description, ...jsonOf(errorReference) });
  return {
    "200": doneOf(route),
    "400": {
      description: "A parameter is missing or invalid.",
      content: {
        ...jsonOf(errorReference).content,
        ...(route.hasTextFaults && { "text/plain": { schema: { type: "string" } } }),
      },
    },
    "406": fault("Under the compat prefix: the client accepts only SBE, which is not offered."),
    "414": fault("The query is too long."),
    ...(security !== "none" && {
      "401": fault("The key, the timestamp or the signature is invalid."),
      "422": fault("Refused by the venue; nothing changed."),
      "503": fault("Not executed: resend with the same client order id."),
      "408": fault("Outcome unknown: query by client order id."),
    }),
    ...(route.method === "POST" && {
      "413": fault("The body is larger than 1 MiB."),
      ...Object.fromEntries(
        Object.entries(faults).map(([status, reason]) => [status, fault(reason)]),
      ),
    }),
    "429": limited,
  };
}

function surfaceOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function operationIdOf(method: string, path: string): string {
  const name = path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase());
  return method.toLowerCase() + name;
}

/** The example in all languages, and what it needs. */
function exampleOf(route: RouteTerms): Json {
  const { exampleNeeds: needs } = route;
  return {
    "x-codeSamples": samplesOf(route),
    ...(needs !== undefined && { "x-example-needs": needs }),
  };
}

function operationOf(route: RouteTerms): Json {
  const { method, path, security, weight, orders, summary, reads = nothing } = route;
  const signing = ["read", "trade", "transfer"].includes(security) ? signingParameters : [];
  return {
    operationId: operationIdOf(method, path),
    summary: summary,
    tags: [surfaceOf(path)],
    ...(security !== "none" && { security: [{ key: [] }] }),
    parameters: [...parametersOf(reads), ...signing],
    "x-security": security,
    "x-weight": typeof weight === "number" ? weight : "by parameters",
    ...(orders !== undefined && {
      "x-orders": typeof orders === "number" ? orders : "by parameters",
    }),
    ...(route.onlyIn !== undefined && { "x-only-in": route.onlyIn }),
    ...(route.neededByType !== undefined && { "x-needed-by-type": route.neededByType }),
    ...exampleOf(route),
    responses: answersOf(route),
  };
}

const about = `Under /v1 bodies are JSON, and errors are plain text or {"error"}. Elsewhere parameters of POST, PUT and DELETE can be in the query, in a form body, or in both.
The base path ${compatPrefix} is a second view of the same venue with Binance's full shapes.`;

const nativeFault = (description: string) => ({
  description,
  content: {
    "text/plain": { schema: { type: "string" } },
    "application/json": {
      schema: { type: "object", required: ["error"], properties: { error: { type: "string" } } },
    },
  },
});

function nativeAnswers(route: RouteTerms): Json {
  const { security, method, isSilent, faults = {} } = route;
  return {
    ...(isSilent ? { "204": { description: "Done." } } : { "200": doneOf(route) }),
    "400": nativeFault("A value is invalid; the message says why."),
    ...(security === "session" && {
      "401": nativeFault("Missing bearer token or invalid session."),
      "404": nativeFault("Not found."),
    }),
    ...((method === "POST" || method === "PUT") && {
      "422": nativeFault("The body is malformed; the message names the field."),
      "503": nativeFault("Not executed: send it again."),
      "408": nativeFault("Outcome unknown."),
    }),
    "413": nativeFault("The body is larger than 1 MiB."),
    "414": nativeFault("The query is too long."),
    "429": nativeFault("Rate limit exceeded."),
    ...Object.fromEntries(
      Object.entries(faults).map(([status, reason]) => [status, nativeFault(reason)]),
    ),
  };
}

function nativeOperation(route: RouteTerms): Json {
  const { method, path, security, weight, summary, body, reads = nothing } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    ...parameterOf(name, { type: "string" }, true),
    in: "path",
  }));
  return {
    operationId: operationIdOf(method, path),
    summary: summary,
    tags: ["v1"],
    ...(security === "session" && { security: [{ session: [] }] }),
    parameters: [...names, ...parametersOf(reads)],
    ...(body !== undefined && {
      requestBody: {
        content: { "application/json": { schema: z.toJSONSchema(body, { io: "input" }) } },
      },
    }),
    "x-security": security,
    "x-weight": weight,
    ...exampleOf(route),
    responses: nativeAnswers(route),
  };
}

/** The servers of a path. A path that exists in only one view lists only the server of that view. */
const servers: Readonly<Record<SurfaceView, Json>> = {
  root: { url: "/", description: "The documented paths" },
  native: { url: "/", description: "The documented paths" },
  compat: { url: compatPrefix, description: "The same routes with Binance's full shapes" },
};

/** The document for the routes of all surfaces. */
export function openApiDocument(routes: readonly RouteTerms[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { path } = route;
    const isNative = path.startsWith(nativePrefix);
    const view = isNative ? "root" : route.onlyIn;
    paths[path] = {
      ...(view !== undefined && { servers: [servers[view]] }),
      ...paths[path],
      [route.method.toLowerCase()]: isNative ? nativeOperation(route) : operationOf(route),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Rialto",
      version: "1",
      description: about,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [servers.root, servers.compat],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "X-MBX-APIKEY" },
        session: { type: "http", scheme: "bearer" },
      },
      schemas: {
        Error: {
          type: "object",
          required: ["code", "msg"],
          properties: {
            code: { type: "integer" },
            msg: { type: "string" },
            hint: { type: "object", description: `Only under ${compatPrefix}.` },
          },
        },
      },
    },
  };
}
