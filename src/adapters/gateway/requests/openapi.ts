// The OpenAPI document of all three surfaces, made from the routes that are mounted and the
// schemas that read their requests, so that it cannot say what the door does not do.

import * as z from "zod";
import { noParameters } from "../../../../schemas/http/common.ts";
import type { Endpoint } from "../../../../schemas/http/endpoint.ts";
import { endpoints } from "../../../../schemas/http/endpoints.ts";
import { exampleOf } from "../../../../schemas/http/examples.ts";
import { type NativeEndpoint, nativeEndpoints } from "../../../../schemas/http/native-endpoints.ts";
import { nativeFaultWords } from "../../../../schemas/http/native-faults.ts";
import { parameterWords } from "../../../../schemas/http/parameter-words.ts";
import { endpointWeights } from "../../../services/access/endpoint-weights.ts";
import type { NativeRoute } from "../native/native-route.ts";
import { answerForm } from "./answer-form.ts";
import type { Route } from "./route.ts";
import { compatPrefix, type SurfaceView } from "./surface-view.ts";

type Json = Readonly<Record<string, unknown>>;

const errorReference = { $ref: "#/components/schemas/Error" };
const limited = { description: "A limit is reached: -1003.", ...jsonOf(errorReference) };

function jsonOf(schema: Json): { readonly content: Json } {
  return { content: { "application/json": { schema } } };
}

function parameterOf(name: string, schema: unknown, isRequired: boolean): Json {
  const description = parameterWords[name];
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

/** What a parameter stands for where that is no text, else the text's own form. Spec OPS-11. */
function formOf(property: Json): Json {
  const { api, ...form } = property;
  return (api as Json | undefined) ?? form;
}

/** The value a parameter has when it is absent, if it has one. */
function standardOf(field: z.ZodType): Json {
  const absent = field.safeParse(undefined);
  return absent.success && absent.data !== undefined ? { default: absent.data } : {};
}

/** The parameters of a schema as OpenAPI lists them; what may never be sent is left out. */
function parametersOf(schema: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" });
  return Object.entries(schema.shape as Record<string, z.ZodType>)
    .map(([name, field]) => ({ name, field, property: properties[name] as Json }))
    .filter(({ property }) => !("not" in property))
    .map(({ name, field, property }) =>
      parameterOf(name, { ...standardOf(field), ...formOf(property) }, required.includes(name)),
    );
}

const replaced = {
  description: "One of the two was done, or none: both answers are in `data`.",
  ...jsonOf(errorReference),
};

/** Answers that one route has alone. */
const ownAnswers: Readonly<Record<string, Json>> = {
  "POST /api/v3/order/cancelReplace": { "409": replaced },
  "POST /fapi/v1/order/test": {
    "501": { description: "At the root: not offered.", ...jsonOf(errorReference) },
  },
};

/** What is no JSON. */
const otherTypes: Readonly<Record<string, string>> = {
  "GET /v1/icons/{file}": "image/svg+xml",
  "GET /v1/journal/event.fbs": "text/plain",
};

/** The form of the answer, where it is known: taken from answers that a test compares with it. */
function doneOf({ method, path }: Route | NativeRoute): Json {
  const other = otherTypes[`${method} ${path}`];
  const schema = answerForm(`${method} ${path}`);
  if (other !== undefined)
    return { description: "Done.", content: { [other]: { schema: { type: "string" } } } };
  return {
    description: "Done.",
    content: { "application/json": schema === undefined ? {} : { schema } },
  };
}

/** Whether faults of the query are plain text (specification: klines). */
function hasTextFaults(route: Route): boolean {
  return route.security === "none" && route.hasTextFaults === true;
}

function answersOf(route: Route): Json {
  const { security } = route;
  const fault = (description: string) => ({ description, ...jsonOf(errorReference) });
  return {
    "200": doneOf(route),
    "400": {
      description: "A parameter is missing or cannot mean anything.",
      content: {
        ...jsonOf(errorReference).content,
        ...(hasTextFaults(route) && { "text/plain": { schema: { type: "string" } } }),
      },
    },
    "406": fault("Under the compat prefix: only SBE would be taken."),
    "414": fault("The query is too long."),
    ...(security !== "none" && {
      "401": fault("The key, the time or the signature is not accepted."),
      "422": fault("Refused by the venue; nothing has changed."),
      "503": fault("Certainly not executed: resend with the same client order id."),
      "408": fault("Outcome unknown: query by client order id."),
    }),
    ...(route.method === "POST" && {
      "413": fault("The body is larger than 1 MiB."),
      ...ownAnswers[`${route.method} ${route.path}`],
    }),
    "429": limited,
  };
}

/** The example of a route, where tools that show the document look for it. */
function samplesOf({ method, path, security }: Route | NativeRoute, isCompatOnly: boolean): Json[] {
  const source = exampleOf({ method, path, security, isCompatOnly });
  return [{ lang: "Shell", label: "curl", source }];
}

function surfaceOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function operationIdOf(method: string, path: string): string {
  const words = path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase());
  return method.toLowerCase() + words;
}

function operationOf(route: Route, { parameters, says }: Endpoint): Json {
  const { method, path, security, weight, orders } = { orders: undefined, ...route };
  const signing = security === "read" || security === "trade" ? signingParameters : [];
  return {
    operationId: operationIdOf(method, path),
    summary: says,
    tags: [surfaceOf(path)],
    ...(security !== "none" && { security: [{ key: [] }] }),
    parameters: [...parametersOf(parameters), ...signing],
    "x-security": security,
    "x-weight": typeof weight === "number" ? weight : "by parameters",
    ...(orders !== undefined && {
      "x-orders": typeof orders === "number" ? orders : "by parameters",
    }),
    ...(route.onlyIn !== undefined && { "x-only-in": route.onlyIn }),
    "x-codeSamples": samplesOf(route, route.onlyIn === "compat"),
    responses: answersOf(route),
  };
}

const about = `Under /v1 bodies are JSON and errors plain text or {"error"}. Elsewhere parameters of POST, PUT and DELETE may stand in the query, in a form body, or in both.
The base path ${compatPrefix} is a second view over the same venue with Binance's full shapes.`;

const nativeFault = (description: string) => ({
  description,
  content: {
    "text/plain": { schema: { type: "string" } },
    "application/json": {
      schema: { type: "object", required: ["error"], properties: { error: { type: "string" } } },
    },
  },
});

function nativeAnswers(route: NativeRoute): Json {
  const { security, method, path } = route;
  const own = Object.entries(nativeFaultWords[`${method} ${path}`] ?? {});
  const isSilent = nativeEndpoints[`${method} ${path}`]?.isSilent ?? false;
  return {
    ...(isSilent ? { "204": { description: "Done." } } : { "200": doneOf(route) }),
    "400": nativeFault("A value breaks a rule; the message says which."),
    ...(security === "session" && {
      "401": nativeFault("No bearer token, or a session that is not open."),
      "404": nativeFault("What is asked for does not exist."),
    }),
    ...((method === "POST" || method === "PUT") && {
      "422": nativeFault("The body does not deserialise; the message names the field."),
      "503": nativeFault("Certainly not executed: send it again."),
      "408": nativeFault("Outcome unknown."),
    }),
    "413": nativeFault("The body is larger than 1 MiB."),
    "414": nativeFault("The query is too long."),
    "429": nativeFault("A limit is reached."),
    ...Object.fromEntries(own.map(([status, words]) => [status, nativeFault(words)])),
  };
}

function nativeOperation(route: NativeRoute): Json {
  const { method, path, security, weight } = route;
  const { query, body, says } = nativeEndpoints[`${method} ${path}`] ?? undescribedNative;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    ...parameterOf(name, { type: "string" }, true),
    in: "path",
  }));
  return {
    operationId: operationIdOf(method, path),
    summary: says,
    tags: ["v1"],
    ...(security === "session" && { security: [{ session: [] }] }),
    parameters: [...names, ...parametersOf(query)],
    ...(body !== null && {
      requestBody: {
        content: { "application/json": { schema: z.toJSONSchema(body, { io: "input" }) } },
      },
    }),
    "x-security": security,
    "x-weight": weight,
    "x-codeSamples": samplesOf(route, false),
    responses: nativeAnswers(route),
  };
}

/** Stands for a route that the table of endpoints lacks; a test refuses to see it. */
const undescribed: Endpoint = { parameters: noParameters, says: "" };
const undescribedNative: NativeEndpoint = { query: noParameters, body: null, says: "" };

/** Where a path is served: paths of one view name theirs. */
const servers: Readonly<Record<SurfaceView, Json>> = {
  root: { url: "/", description: "The documented paths" },
  native: { url: "/", description: "The documented paths" },
  compat: { url: compatPrefix, description: "The same routes with Binance's full shapes" },
};

/** The document for the routes of the Binance-style surfaces and of the native one. */
export function openApiDocument(routes: readonly Route[], natives: readonly NativeRoute[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const endpoint = endpoints[`${route.method} ${route.path}`] ?? undescribed;
    paths[route.path] = {
      ...(route.onlyIn !== undefined && { servers: [servers[route.onlyIn]] }),
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, endpoint),
    };
  }
  for (const route of natives) {
    const operation = nativeOperation(route);
    const own = { servers: [servers.root], ...paths[route.path] };
    paths[route.path] = { ...own, [route.method.toLowerCase()]: operation };
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

/** The route that serves the document of all routes and itself. */
export function openApiRoute(routes: readonly Route[], natives: readonly NativeRoute[]): Route {
  let text: string | undefined;
  const route: Route = {
    method: "GET",
    path: "/openapi.json",
    security: "none",
    weight: endpointWeights["GET /openapi.json"],
    onlyIn: "root",
    answer: (call) => {
      text ??= `${JSON.stringify(openApiDocument([...routes, route], natives), null, 2)}\n`;
      call.json(text);
    },
  };
  return route;
}
