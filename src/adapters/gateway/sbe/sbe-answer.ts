// Answers in SBE: the form that a caller asked for, and the bytes of an answer. One writer serves all calls of a thread,
// so the bytes are copied out of it.

import { deprecatedVersion, latestVersion, spotSchema } from "../../../../schemas/sbe/schemas.ts";
import { answerTemplate, eventTemplate } from "./answer-templates.ts";
import { encodeMessage, type Messages } from "./generated/spot-codec.ts";
import type { Json, JsonObject } from "./json-value.ts";
import { fitted, messageOf } from "./message-of.ts";
import { SbeWriter, Unencodable, unencodableFigure } from "./sbe-writer.ts";

/** The version of the spot schema in which a caller wants its answers. */
export interface SbeForm {
  readonly version: number;
  readonly isDeprecated: boolean;
}

export const latestForm: SbeForm = { version: latestVersion, isDeprecated: false };
const deprecatedForm: SbeForm = { version: deprecatedVersion, isDeprecated: true };

/** The form with the ids in a request; undefined if the venue does not serve that schema or version. */
export function formOf(schemaId: number, version: number): SbeForm | undefined {
  if (schemaId !== spotSchema.id) return undefined;
  if (version === latestVersion) return latestForm;
  return version === deprecatedVersion ? deprecatedForm : undefined;
}

const writer = new SbeWriter(latestVersion);

export interface Encoded {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/**
 * The bytes of a message, with larger exponents if a figure does not fit its field, or those of a refusal if it fits
 * with none.
 */
export function encodedMessage<T extends keyof Messages>(
  { version }: SbeForm,
  name: T,
  message: Messages[T],
): Encoded {
  writer.version = version;
  const bytes = bytesOf(name, message) ?? bytesOf(name, fitted(name, message));
  if (bytes !== null) return { status: 200, bytes };
  const { status, code, msg } = unencodableFigure;
  const none = { serverTime: null, retryAfter: null, data: null };
  encodeMessage(writer.reset(), "ErrorResponse", { code, msg, ...none });
  return { status, bytes: Buffer.from(writer.bytes) };
}

/** The bytes of a message; null if a figure does not fit its field. */
function bytesOf<T extends keyof Messages>(name: T, message: Messages[T]): Uint8Array | null {
  try {
    encodeMessage(writer.reset(), name, message);
    return Buffer.from(writer.bytes);
  } catch (fault) {
    if (fault instanceof Unencodable) return null;
    throw fault;
  }
}

/** The bytes of a JSON answer with its status. `name` is the method and path of the route. */
export function encodedAnswer(
  form: SbeForm,
  { name, status }: { readonly name: string; readonly status: number },
  text: string,
): Encoded {
  const json = JSON.parse(text) as Json;
  const template = status >= 400 ? "ErrorResponse" : answerTemplate(name, json);
  const encoded = encodedMessage(
    form,
    template ?? "ErrorResponse",
    messageOf(template ?? "ErrorResponse", json),
  );
  return encoded.status === 200 ? { ...encoded, status } : encoded;
}

/**
 * An event in SBE, made from its JSON text; null if the schema has no template for it. `subscriptionId` is that of the
 * user data to which the event belongs, or null.
 */
export function encodedEvent(
  form: SbeForm,
  subscriptionId: number | null,
  text: string,
): Uint8Array | null {
  const json = JSON.parse(text) as JsonObject;
  const template = eventTemplate(String(json["e"]));
  if (template === undefined) return null;
  return encodedMessage(form, template, messageOf(template, { ...json, subscriptionId })).bytes;
}
