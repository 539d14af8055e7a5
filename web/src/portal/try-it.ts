// The console beside an endpoint of the REST reference: sends the example, as the reader has changed it, to the venue that
// serves the page, and shows the answer. Key, secret and token stay in this page's memory: they are stored nowhere, and
// the secret leaves it only as a signature.

/** Longer answers are cut, so that the page stays quick. */
const shownMax = 20_000;
const timeoutMs = 40_000;

interface Credentials {
  key: string;
  secret: string;
  token: string;
}

/** Shared by all consoles of the page. */
const credentials: Credentials = { key: "", secret: "", token: "" };

interface Endpoint {
  readonly name: string;
  readonly security: string;
  readonly method: string;
  readonly path: string;
  /** Query, or body of a route under /v1. */
  readonly text: string;
  readonly isBody: boolean;
}

function endpointOf(group: HTMLElement): Endpoint {
  const { name = "", security = "none", call = "" } = group.dataset;
  const parts = JSON.parse(`[${call}]`) as string[];
  const isOpen = security === "none";
  const [method = "GET", target = "/", rest = ""] = isOpen ? ["GET", ...parts] : parts;
  const [path = "/", query = ""] = target.split("?");
  const isBody = security === "session" && (method === "POST" || method === "PUT");
  return { name, security, method, path, text: rest === "" ? query : rest, isBody };
}

const keyFields: ReadonlyArray<readonly [keyof Credentials, string]> = [
  ["key", "API key"],
  ["secret", "Secret"],
];
const tokenFields: typeof keyFields = [["token", "Session token"]];

function fieldsOf(security: string): typeof keyFields {
  if (security === "none") return [];
  if (security === "session") return tokenFields;
  return security === "key" ? keyFields.slice(0, 1) : keyFields;
}

function labelled(label: string, field: HTMLElement): HTMLLabelElement {
  const made = document.createElement("label");
  made.append(label, field);
  return made;
}

function secretField(name: keyof Credentials): HTMLInputElement {
  const field = document.createElement("input");
  field.type = name === "key" ? "text" : "password";
  field.autocomplete = "off";
  field.spellcheck = false;
  field.maxLength = 512;
  field.dataset["credential"] = name;
  field.value = credentials[name];
  field.addEventListener("input", () => {
    credentials[name] = field.value.trim();
    for (const other of document.querySelectorAll<HTMLInputElement>(
      `input[data-credential="${name}"]`,
    ))
      if (other !== field) other.value = field.value;
  });
  return field;
}

/** Adds the console of an endpoint below its examples. */
export function addConsole(group: HTMLElement): void {
  const endpoint = endpointOf(group);
  const form = document.createElement("form");
  form.className = "console";
  form.setAttribute("aria-label", `Request to ${endpoint.name}`);
  const text = document.createElement("textarea");
  text.rows = endpoint.isBody ? 4 : 3;
  text.maxLength = 8_000;
  text.spellcheck = false;
  text.value = endpoint.text;
  const send = document.createElement("button");
  send.className = "primary";
  send.textContent = `Send ${endpoint.method}`;
  const changes = document.createElement("p");
  changes.className = "soft";
  changes.textContent = endpoint.method === "GET" ? "" : "This changes your account on this venue.";
  const shown = document.createElement("pre");
  shown.tabIndex = 0;
  shown.setAttribute("role", "status");
  shown.setAttribute("aria-label", `Answer of ${endpoint.name}`);
  shown.hidden = true;
  const path = document.createElement("input");
  path.value = endpoint.path;
  path.maxLength = 512;
  path.spellcheck = false;
  form.append(
    ...(endpoint.path.includes("{") ? [labelled("Path", path)] : []),
    ...fieldsOf(endpoint.security).map(([name, label]) => labelled(label, secretField(name))),
    labelled(endpoint.isBody ? "Body" : "Query", text),
    changes,
    send,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send.disabled = true;
    shown.hidden = false;
    shown.textContent = "…";
    void answerOf({ ...endpoint, path: path.value.trim() }, text.value.trim())
      .catch((fault: unknown) => (fault instanceof Error ? fault.message : String(fault)))
      .then((answer) => {
        shown.textContent = answer;
        send.disabled = false;
      });
  });
  group.append(form, shown);
  form.querySelector<HTMLElement>("input, textarea")?.focus();
}

/** Sends the request; returns status and answer as text. */
async function answerOf(endpoint: Endpoint, text: string): Promise<string> {
  const { security, method, path, isBody } = endpoint;
  const unfilled = /\{\w+\}/.exec(path)?.[0];
  if (unfilled !== undefined) throw new Error(`Replace ${unfilled} in the path.`);
  const headers: Record<string, string> = {};
  let query = isBody ? "" : text;
  if (security === "session") headers["Authorization"] = `Bearer ${credentials.token}`;
  else if (security !== "none") headers["X-MBX-APIKEY"] = credentials.key;
  if (!["none", "session", "key"].includes(security)) query = await signed(query);
  const answer = await fetch(`${path}${query === "" ? "" : `?${query}`}`, {
    method,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    ...(isBody && { body: text }),
  });
  const body = await answer.text();
  return `${answer.status} ${answer.statusText}\n${readable(body).slice(0, shownMax)}`;
}

/** Adds time and signature to a query: HMAC-SHA256 over its text. */
async function signed(query: string): Promise<string> {
  if (crypto.subtle === undefined)
    throw new Error("This browser signs only on pages served over https or from this machine.");
  if (credentials.secret === "") throw new Error("Enter the secret of the key.");
  const text = `${query}${query === "" ? "" : "&"}timestamp=${Date.now()}`;
  const bytes = (of: string) => new TextEncoder().encode(of);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(credentials.secret), algorithm, false, [
    "sign",
  ]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(text)));
  const hex = [...signature].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${text}&signature=${hex}`;
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
