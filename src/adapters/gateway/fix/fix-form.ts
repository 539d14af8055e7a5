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

export type Form = ReadonlyMap<number, Field>;

/** A request in the terms of an order session. */
export interface FixRequest {
  /** Method of spot order sessions. */
  readonly method: string;
  readonly query: string;
}

/** A message, or an entry of a group. */
export type Fields = Pick<FieldSet, "get" | "fields">;

export type Parameters = ReadonlyArray<readonly [name: string, value: string]>;

export const required = (parameter: string): Field => ({ parameter, isRequired: true });
export const optional = (parameter: string): Field => ({ parameter });

/** What is wrong with the fields of a message of type `type`; undefined if they have that form. */
export function faultOfForm(fields: Fields, form: Form, type: string): FieldFault | undefined {
  return missingOf(fields, form) ?? strangeOf(fields, form, type) ?? incorrectOf(fields, form);
}

/** The parameters that the fields of a message of type `type` become, or what is wrong with them. */
export function parametersOf(fields: Fields, form: Form, type: string): Parameters | FieldFault {
  const fault = faultOfForm(fields, form, type);
  if (fault !== undefined) return fault;
  const parameters: [string, string][] = [];
  for (const [tag, { parameter, codes }] of form) {
    const value = fields.get(tag);
    if (value === undefined || parameter === undefined) continue;
    parameters.push([parameter, codes?.[value] ?? value]);
  }
  return parameters;
}

/** The parameters as the query of a request. */
export function queryOf(parameters: Parameters): string {
  return parameters
    .map(([name, value]) => `${name}=${plain.test(value) ? value : encodeURIComponent(value)}`)
    .join("&");
}

const plain = /^[\w.-]*$/;
const idForm = /^[a-zA-Z0-9-_]{1,36}$/;
const idTags = [Tag.clOrdId, Tag.clListId, Tag.origClListId, Tag.mdReqId] as const;

function missingOf(fields: Fields, form: Form): FieldFault | undefined {
  for (const [tag, { isRequired }] of form)
    if (isRequired === true && fields.get(tag) === undefined) return missing(tag);
  const wrong = idTags.find((tag) => !idForm.test(fields.get(tag) ?? "none"));
  return wrong === undefined ? undefined : incorrect(wrong);
}

/** A tag that the message does not have: ignoring it could place another order than intended. */
function strangeOf(fields: Fields, form: Form, type: string): FieldFault | undefined {
  for (const tag of fields.fields.keys()) {
    if (form.has(tag) || frameTags.has(tag)) continue;
    const text = `Tag ${tag} is not defined for messages of type ${type}.`;
    const { code } = fixErrors.undefinedTag;
    return { reason: RejectCode.notDefinedForMessage, tag, text, code };
  }
  return undefined;
}

/** A value that is no code of its tag. Only own properties are codes: every object has a `constructor`. */
function incorrectOf(fields: Fields, form: Form): FieldFault | undefined {
  for (const [tag, { codes }] of form) {
    const value = fields.get(tag);
    if (value === undefined || codes === undefined || Object.hasOwn(codes, value)) continue;
    return incorrect(tag);
  }
  return undefined;
}

/** The fault of a tag that is needed and not there. */
export function missing(tag: number, text = `Tag ${tag} is required.`): FieldFault {
  return { reason: RejectCode.required, tag, text, code: fixErrors.missingTag.code };
}

/** The fault of a tag whose value cannot be taken. */
export function incorrect(tag: number, text = `The value of tag ${tag} is incorrect.`): FieldFault {
  return { reason: RejectCode.incorrectValue, tag, text, code: fixErrors.incorrectValue.code };
}
