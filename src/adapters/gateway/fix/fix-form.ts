// The form of a request: which tags it has, which of them it needs, and which parameters of REST they become. It reads a
// message or an entry of a group alike. Spec FIX-14, FIX-15.

import type { FieldFault, FieldSet } from "./field-set.ts";
import { fixErrors } from "./fix-error-codes.ts";
import { frameTags, RejectCode, Tag } from "./fix-fields.ts";

/** How a tag becomes a parameter: its name, or the values that a code stands for. Without a name it is only checked. */
export interface Field {
  readonly parameter?: string;
  readonly codes?: Readonly<Record<string, string>>;
  readonly isRequired?: true;
}

/** The tags that a message or an entry of a group may have. */
export class Form {
  readonly fields: ReadonlyMap<number, Field>;
  readonly required: readonly number[];

  constructor(fields: ReadonlyArray<readonly [number, Field]>) {
    this.fields = new Map(fields);
    this.required = fields.filter(([, { isRequired }]) => isRequired).map(([tag]) => tag);
  }
}

/** A request in the terms of an order session. */
export interface FixRequest {
  /** Surface and method of order sessions. */
  readonly method: `api ${string}`;
  readonly query: string;
}

/** A message, or an entry of a group. */
export type Fields = Pick<FieldSet, "get" | "fields">;

export type Parameters = ReadonlyArray<readonly [name: string, value: string]>;

export const required = (parameter: string): Field => ({ parameter, isRequired: true });
export const optional = (parameter: string): Field => ({ parameter });

/**
 * The parameters that the fields of a message of type `type` become, or what is wrong with them. A tag that the message does
 * not have is refused: ignoring it could place another order than intended.
 */
export function parametersOf(fields: Fields, form: Form, type: string): Parameters | FieldFault {
  const absent = form.required.find((tag) => fields.get(tag) === undefined);
  if (absent !== undefined) return missing(absent);
  const parameters: [string, string][] = [];
  let wrong: number | undefined;
  for (const [tag, value] of fields.fields) {
    const field = form.fields.get(tag);
    if (field === undefined) {
      if (frameTags.has(tag)) continue;
      return undefinedTag(tag, type);
    }
    if (!isTaken(tag, value, field)) wrong ??= tag;
    const { parameter, codes } = field;
    if (parameter !== undefined) parameters.push([parameter, codes?.[value] ?? value]);
  }
  return wrong === undefined ? parameters : incorrect(wrong);
}

function isTaken(tag: number, value: string, { codes }: Field): boolean {
  // Only own properties are codes: every object has a `constructor`.
  if (codes !== undefined && !Object.hasOwn(codes, value)) return false;
  return !idTags.has(tag) || idForm.test(value);
}

/** The parameters as the query of a request. */
export function queryOf(parameters: Parameters): string {
  let query = "";
  for (const [name, value] of parameters) {
    const text = plain.test(value) ? value : encodeURIComponent(value);
    query += `${query === "" ? "" : "&"}${name}=${text}`;
  }
  return query;
}

const plain = /^[\w.-]*$/;
const idForm = /^[a-zA-Z0-9-_]{1,36}$/;
const idTags: ReadonlySet<number> = new Set([
  Tag.clOrdId,
  Tag.clListId,
  Tag.origClListId,
  Tag.mdReqId,
]);

function undefinedTag(tag: number, type: string): FieldFault {
  const text = `Tag ${tag} is not defined for messages of type ${type}.`;
  const { code } = fixErrors.undefinedTag;
  return { reason: RejectCode.notDefinedForMessage, tag, text, code };
}

/** The fault of a tag that is needed and not there. */
export function missing(tag: number, text = `Tag ${tag} is required.`): FieldFault {
  return { reason: RejectCode.required, tag, text, code: fixErrors.missingTag.code };
}

/** The fault of a tag whose value cannot be taken. */
export function incorrect(tag: number, text = `The value of tag ${tag} is incorrect.`): FieldFault {
  return { reason: RejectCode.incorrectValue, tag, text, code: fixErrors.incorrectValue.code };
}
