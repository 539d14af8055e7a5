// The REST reference: a page for each surface, generated from the OpenAPI document of the venue.

import { fieldTable, type JsonSchema, schemaText } from "./field-table.ts";
import { addressOf, made } from "./portal-map.ts";
import { codeBlock, escaped, type PortalPage, scrolled } from "./portal-page.ts";
import { sampleOf } from "./sample-answer.ts";

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Response {
  readonly description: string;
  readonly content?: { readonly "application/json"?: { readonly schema?: JsonSchema } };
}

interface Sample {
  readonly label: string;
  readonly source: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: JsonSchema } };
  };
  readonly "x-security": string;
  readonly "x-weight": number | string;
  readonly "x-orders"?: number | string;
  readonly "x-only-in"?: string;
  readonly "x-codeSamples"?: readonly Sample[];
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Surface {
  readonly path: string;
  readonly title: string;
  readonly says: string;
  has(tag: string): boolean;
}

const surfaces: readonly Surface[] = [
  {
    path: made.spot,
    title: "REST: spot",
    says: "All endpoints under /api/v3: markets, orders, accounts.",
    has: (tag) => tag === "api",
  },
  {
    path: made.perpetuals,
    title: "REST: perpetuals",
    says: "All endpoints under /fapi: markets, orders, positions, funding.",
    has: (tag) => tag === "fapi",
  },
  {
    path: made.native,
    title: "REST: native",
    says: "All endpoints under /v1: sessions, orders, wallets, proofs.",
    has: (tag) => tag === "v1",
  },
  {
    path: made.others,
    title: "REST: other endpoints",
    says: "Endpoints that clients call at startup, and the API descriptions.",
    has: (tag) => !["api", "fapi", "v1"].includes(tag),
  },
];

const securityText: Readonly<Record<string, string>> = {
  none: "public",
  key: "API key header",
  read: "signed, READ permission",
  trade: "signed, TRADE permission",
  transfer: "signed, TRANSFER permission",
  session: "session token",
  login: "public, opens a session",
};

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

/** Shows what a description has between backquotes as code. */
function withCode(html: string): string {
  return html.replace(/`([^`]+)`/g, "<code>$1</code>");
}

function parameterTable({ operation }: Entry): string {
  const body = operation.requestBody?.content["application/json"].schema;
  const fields = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    schema,
    required: body?.required?.includes(name) === true,
    description: schema.description ?? "",
  }));
  const all = [...operation.parameters, ...fields];
  if (all.length === 0) return "<p>No parameters.</p>\n";
  const rows = all.map(({ name, required, schema, description = "" }) => {
    const standard = schema.default === undefined ? "" : ` Default: ${String(schema.default)}.`;
    return row([
      `<code>${escaped(name)}</code>`,
      required ? "yes" : "",
      escaped(schemaText(schema)),
      withCode(escaped(description + standard)),
    ]);
  });
  const head = "<tr><th>Name</th><th>Required</th><th>Type</th><th>Description</th></tr>";
  return scrolled(`<table><thead>${head}</thead><tbody>${rows.join("")}</tbody></table>`);
}

function costText(operation: Operation): string {
  const orders = operation["x-orders"];
  const view = operation["x-only-in"];
  return [
    securityText[operation["x-security"]] ?? operation["x-security"],
    `weight ${operation["x-weight"]}`,
    ...(orders === undefined
      ? []
      : [`counts as ${orders === 1 ? "an order" : `${orders} orders`}`]),
    ...(view === "compat" ? ["only under /compat"] : []),
  ].join(" · ");
}

/** Returns the part with the response schema; empty if the document has none for this operation. */
function answerPart({ responses }: Operation): string {
  if ("204" in responses) return "<p>Returns 204 without a body.</p>\n";
  const schema = responses["200"]?.content?.["application/json"]?.schema;
  if (schema === undefined) return "";
  const table = fieldTable(schema);
  const sample = `<p class="soft">Sample answer</p>\n${codeBlock(JSON.stringify(sampleOf(schema), null, 2))}`;
  return `${sample}<details><summary>Response: ${escaped(schemaText(schema))}</summary>${table}</details>\n`;
}

/**
 * The examples in all languages. The page's program turns them into tabs and adds the console that sends the request;
 * without it the first one is shown.
 */
function samplesPart({ method, path, operation }: Entry, samples: readonly Sample[]): string {
  const call = /^(?:get|keyed|signed|own)\((.*)\)$/.exec(
    samples.find(({ label }) => label === "Python")?.source.slice(6, -1) ?? "",
  )?.[1];
  const data = call === undefined ? "" : ` data-call="${escaped(call)}"`;
  const blocks = samples.map(
    ({ label, source }, at) =>
      `<div data-label="${escaped(label)}"${at === 0 ? "" : " hidden"}>${codeBlock(source)}</div>`,
  );
  const name = escaped(`${method} ${path}`);
  return `<div class="samples" data-security="${operation["x-security"]}" data-name="${name}"${data}>${blocks.join("")}</div>\n`;
}

function section(entry: Entry): string {
  const { method, path, operation } = entry;
  const id = operation.operationId;
  const samples = operation["x-codeSamples"] ?? [];
  const statuses = Object.entries(operation.responses)
    .filter(([status]) => !status.startsWith("2"))
    .map(([status, { description }]) => `<li><b>${status}</b> ${escaped(description)}</li>`);
  return [
    `<h2 id="${id}"><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escaped(path)}</code></a></h2>\n`,
    `<p>${escaped(operation.summary)}</p>\n<p class="soft">${escaped(costText(operation))}</p>\n`,
    parameterTable(entry),
    samplesPart(entry, samples),
    answerPart(operation),
    `<details><summary>Errors</summary><ul>${statuses.join("")}</ul></details>\n`,
  ].join("");
}

function pageOf(surface: Surface, all: readonly Entry[]): PortalPage {
  const entries = all.filter(({ operation }) => operation.tags.some((tag) => surface.has(tag)));
  const list = entries.map(({ method, path, operation }) =>
    row([
      `<a href="#${operation.operationId}">${method} <code>${escaped(path)}</code></a>`,
      escaped(operation.summary),
    ]),
  );
  const head = "<thead><tr><th>Endpoint</th><th>Description</th></tr></thead>";
  const table = `<table>${head}<tbody>${list.join("")}</tbody></table>`;
  const examples = addressOf("docs/guides/run-the-examples.md");
  return {
    address: addressOf(surface.path),
    title: surface.title,
    says: surface.says,
    headings: entries.map(({ method, path, operation }) => ({
      id: operation.operationId,
      depth: 2,
      title: `${method} ${path}`,
      words: operation.summary,
    })),
    html: [
      `<p>${escaped(surface.says)} Generated from <a href="/openapi.json">the OpenAPI document</a>; the examples`,
      ` use the variables of <a href="${examples}">Run the examples</a>.</p>\n`,
      scrolled(table),
      ...entries.map(section),
    ].join(""),
  };
}

/** The pages of all surfaces. */
export function restReference({ paths }: OpenApi): PortalPage[] {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // If only one view serves a path, the path has an entry `servers` beside its methods.
      .filter(([method]) => method !== "servers")
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
  );
  return surfaces.map((surface) => pageOf(surface, entries));
}
