// The REST reference: a page for each surface, generated from the OpenAPI document of the venue, the table of topics, and
// recorded answers to the examples.

import { fieldTable, type JsonSchema, schemaText } from "./field-table.ts";
import { addressOf } from "./portal-map.ts";
import { codeBlock, escaped, type Heading, type PortalPage, scrolled } from "./portal-page.ts";
import { type Surface, surfaces, type Topic } from "./rest-topics.ts";

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
  readonly "x-example-needs"?: { readonly what: string; readonly refusal: string };
  readonly "x-needed-by-type"?: Readonly<Record<string, readonly string[]>>;
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const securityText: Readonly<Record<string, string>> = {
  none: "public",
  key: "API key header",
  read: "signed, READ permission",
  trade: "signed, TRADE permission",
  transfer: "signed, TRANSFER permission",
  session: "session token",
  login: "public, limited like log-ins",
};

/** Recorded answers to the examples by route. Long lists are shortened. */
export type SampleAnswers = Readonly<Record<string, { readonly answer: unknown } | undefined>>;

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** The recorded answer; undefined if the example has none that is JSON. */
  readonly sample: unknown;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

/** A row that stays a row for screen readers where a narrow screen shows its cells below each other. */
function parameterRow(cells: readonly string[]): string {
  return `<tr role="row">${cells.map((cell) => `<td role="cell">${cell}</td>`).join("")}</tr>`;
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
    return parameterRow([
      `<code>${escaped(name)}</code>`,
      required ? "yes" : "",
      escaped(schemaText(schema)),
      withCode(escaped(description + standard)),
    ]);
  });
  const head = "<tr><th>Name</th><th>Required</th><th>Type</th><th>Description</th></tr>";
  return scrolled(
    `<table class="parameters" role="table"><thead>${head}</thead><tbody>${rows.join("")}</tbody></table>`,
  );
}

/** The table of the parameters that each order type needs. */
function neededTable({ operation }: Entry): string {
  const needed = operation["x-needed-by-type"];
  if (needed === undefined) return "";
  const rows = Object.entries(needed).map(([type, names]) =>
    row([
      `<code>${escaped(type)}</code>`,
      names.map((name) => `<code>${name.replace(" or ", "</code> or <code>")}</code>`).join(", "),
    ]),
  );
  const head = "<tr><th>Order type</th><th>Also requires</th></tr>";
  return scrolled(`<table><thead>${head}</thead><tbody>${rows.join("")}</tbody></table>`);
}

/** Says why the venue refuses the example as printed. Spec DOC-18. */
function needsPart({ operation }: Entry): string {
  const needs = operation["x-example-needs"];
  if (needs === undefined) return "";
  const { what, refusal } = needs;
  return `<p class="needs">As printed the example is refused (<code>${escaped(refusal)}</code>). It needs ${escaped(what)}.</p>\n`;
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

/** Returns the part with the recorded answer and the response schema, as far as the operation has them. */
function answerPart({ operation: { responses }, sample }: Entry): string {
  if ("204" in responses) return "<p>Returns 204 without a body.</p>\n";
  const shown =
    sample === undefined
      ? ""
      : `<p class="soft">Answer, recorded from a venue; long lists are shortened</p>\n${codeBlock(JSON.stringify(sample, null, 2))}`;
  const schema = responses["200"]?.content?.["application/json"]?.schema;
  if (schema === undefined) return shown;
  const table = fieldTable(schema);
  return `${shown}<details><summary>Response: ${escaped(schemaText(schema))}</summary>${table}</details>\n`;
}

/**
 * Returns the arguments of the request that the console sends, as JSON texts: those of the example, or the bare path if
 * the example uses results of others. Undefined if the console cannot send it: a login, or a request that needs more
 * than a key or a token.
 */
function callOf(
  { method, path, operation }: Entry,
  samples: readonly Sample[],
): string | undefined {
  const [shell] = samples;
  // Its names are those of the shell's example.
  const python = (
    samples.find(({ label }) => label === "Python")?.source.slice(6, -1) ?? ""
  ).replace(/([a-z]+-\d)-py/g, "$1");
  const call = /^(?:get|keyed|signed|own)\((.*)\)$/.exec(python)?.[1];
  if (call !== undefined) return call;
  const { "x-security": security, "x-only-in": view } = operation;
  if (security === "login" || (security === "none" && method !== "GET")) return undefined;
  const whole = view === "compat" ? `/compat${path}` : path;
  const isBody = security === "session" && (method === "POST" || method === "PUT");
  const body = /'(\{[^$]*\})'$/.exec(shell?.source ?? "")?.[1] ?? "{}";
  const parts = security === "none" ? [whole] : [method, whole, isBody ? body : ""];
  return parts.map((part) => JSON.stringify(part)).join(", ");
}

/**
 * The examples in all languages. The page's program turns them into tabs and adds the console that sends the request;
 * without it the first one is shown.
 */
function samplesPart(entry: Entry, samples: readonly Sample[]): string {
  const { method, path, operation } = entry;
  const call = callOf(entry, samples);
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
    `<h3 id="${id}"><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escaped(path)}</code></a></h3>\n`,
    `<p>${escaped(operation.summary)}</p>\n<p class="soft">${escaped(costText(operation))}</p>\n`,
    parameterTable(entry),
    neededTable(entry),
    needsPart(entry),
    samplesPart(entry, samples),
    answerPart(entry),
    `<details><summary>Errors</summary><ul>${statuses.join("")}</ul></details>\n`,
  ].join("");
}

type Entries = ReadonlyMap<string, Entry>;

interface Part {
  readonly id: string;
  readonly topic: Topic;
  readonly entries: readonly Entry[];
}

function partOf(topic: Topic, all: Entries): Part {
  const entries = topic.routes.map((name) => {
    const entry = all.get(name);
    if (entry === undefined) throw new Error(`rest-topics.ts names ${name}, which is no route`);
    return entry;
  });
  return { id: `topic-${topic.title.toLowerCase().replace(/[^a-z]+/g, "-")}`, topic, entries };
}

/** Returns the endpoints of a topic as a body of the page's list. */
function listOf({ id, topic, entries }: Part): string {
  const rows = entries.map(({ method, path, operation }) =>
    row([
      `<a href="#${operation.operationId}">${method} <code>${escaped(path)}</code></a>`,
      escaped(operation.summary),
    ]),
  );
  const title = `<th scope="rowgroup" colspan="2"><a href="#${id}">${escaped(topic.title)}</a></th>`;
  return `<tbody><tr>${title}</tr>${rows.join("")}</tbody>`;
}

function partText({ id, topic, entries }: Part): string {
  const { title, says = "", guide } = topic;
  const link =
    guide === undefined ? "" : ` See <a href="${addressOf(guide[0])}">${escaped(guide[1])}</a>.`;
  const lead = says === "" ? "" : `<p>${escaped(says)}${link}</p>\n`;
  const head = `<h2 id="${id}"><a href="#${id}">${escaped(title)}</a></h2>\n`;
  return [head, lead, ...entries.map(section)].join("");
}

/** Returns the heading of an endpoint; the search finds it by its parameters too. */
function headingOf({ method, path, operation }: Entry): Heading {
  const { operationId: id, summary, parameters } = operation;
  const names = parameters.map(({ name }) => name).join(", ");
  const words = names === "" ? summary : `${summary} Parameters: ${names}.`;
  return { id, depth: 3, title: `${method} ${path}`, words };
}

function pageOf(surface: Surface, all: Entries): PortalPage {
  const parts = surface.topics.map((topic) => partOf(topic, all));
  const head = "<thead><tr><th>Endpoint</th><th>Description</th></tr></thead>";
  const table = `<table>${head}${parts.map(listOf).join("")}</table>`;
  const examples = addressOf("docs/guides/run-the-examples.md");
  return {
    address: addressOf(surface.path),
    title: surface.title,
    says: surface.says,
    headings: parts.flatMap(({ id, topic, entries }) => [
      { id, depth: 2, title: topic.title, words: topic.says ?? "" },
      ...entries.map(headingOf),
    ]),
    html: [
      `<p>${escaped(surface.says)} Generated from <a href="/openapi.json">the OpenAPI document</a>; the examples`,
      ` use the variables of <a href="${examples}">Run the examples</a> and work in the order of the page, in one`,
      " language after another with the same account. Examples that need more say so.</p>\n",
      scrolled(table),
      ...parts.map(partText),
    ].join(""),
  };
}

/** The pages of all surfaces. */
export function restReference({ paths }: OpenApi, samples: SampleAnswers): PortalPage[] {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // If only one view serves a path, the path has an entry `servers` beside its methods.
      .filter(([method]) => method !== "servers")
      .map(([name, operation]): [string, Entry] => {
        const method = name.toUpperCase();
        const route = `${method} ${path}`;
        return [route, { method, path, operation, sample: samples[route]?.answer }];
      }),
  );
  const listed = new Set(surfaces.flatMap(({ topics }) => topics.flatMap(({ routes }) => routes)));
  for (const [route] of entries)
    if (!listed.has(route)) throw new Error(`${route} needs a topic in rest-topics.ts`);
  const all = new Map(entries);
  return surfaces.map((surface) => pageOf(surface, all));
}
