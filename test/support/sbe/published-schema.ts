// Reads a published SBE schema (test/vectors/sbe) and interprets messages by it: a decoder and an encoder that know
// nothing of the venue's own tables. Whole numbers are bigints, names of codes are those of JSON, null is null.

import { readFileSync } from "node:fs";

interface Node {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
  text: string;
}

/** The elements of an XML text without entities; comments are left out. */
function parsed(xml: string): Node {
  const root: Node = { tag: "", attributes: {}, children: [], text: "" };
  const path = [root];
  const source = xml.replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, "");
  for (const [, closes, tag = "", inner = "", empty, text = ""] of source.matchAll(
    /<(\/?)([\w:]+)((?:\s+[\w:]+\s*=\s*"[^"]*")*)\s*(\/?)>([^<]*)/g,
  )) {
    if (closes === "/") {
      path.pop();
      continue;
    }
    const attributes = Object.fromEntries(
      [...inner.matchAll(/([\w:]+)\s*=\s*"([^"]*)"/g)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]),
    );
    const node: Node = {
      tag: tag.replace("sbe:", ""),
      attributes,
      children: [],
      text: text.trim(),
    };
    path.at(-1)?.children.push(node);
    if (empty !== "/") path.push(node);
  }
  return root;
}

const bytesOf: Readonly<Record<string, number>> = {
  ...{ int8: 1, uint8: 1, int16: 2, uint16: 2, int32: 4, uint32: 4, int64: 8, uint64: 8 },
  float: 4,
};

export type Value = bigint | number | boolean | string | null | Decoded | Rows;
export type Rows = readonly Values[];
export interface Values {
  readonly [field: string]: Value;
}

/** A decoded message. */
export interface Decoded {
  readonly template: string;
  readonly version: number;
  readonly values: Values;
}

/** Whether a value is a message. */
export function isDecoded(value: Value | undefined): value is Decoded {
  return typeof value === "object" && value !== null && "template" in value;
}

/** A place in the bytes. */
interface Cursor {
  at: number;
}

export class PublishedSchema {
  readonly id: number;
  readonly version: number;
  readonly #types = new Map<string, Node>();
  readonly #messages: readonly Node[];

  constructor(file: string) {
    const root = parsed(readFileSync(`test/vectors/sbe/${file}`, "utf8")).children[0] as Node;
    this.id = Number(root.attributes["id"]);
    this.version = Number(root.attributes["version"]);
    for (const type of root.children[0]?.children ?? [])
      this.#types.set(type.attributes["name"] ?? "", type);
    this.#messages = root.children.filter(({ tag }) => tag === "message");
  }

  message(name: string): Node {
    const found = this.#messages.find(({ attributes }) => attributes["name"] === name);
    if (found === undefined) throw new Error(`the published schema has no ${name}`);
    return found;
  }

  /** Codes or bits of a set by the names in JSON, without the one for names of later schemas. */
  codesOf(type: string): Record<string, number> {
    const named = (this.#types.get(type)?.children ?? [])
      .map(({ attributes, text }) => [attributes["mbx:jsonValue"] ?? "", Number(text)] as const)
      .filter(([name]) => name !== "NON_REPRESENTABLE");
    return Object.fromEntries(named);
  }

  /** Decodes a whole message; throws if bytes are left over or missing. */
  decode(bytes: Uint8Array): Decoded {
    const view = Buffer.from(bytes);
    const cursor = { at: 8 };
    const [block, templateId, schemaId, version] = [0, 2, 4, 6].map((at) => view.readUInt16LE(at));
    if (schemaId !== this.id) throw new Error(`schema ${schemaId}`);
    const node = this.#messages.find(({ attributes }) => Number(attributes["id"]) === templateId);
    if (node === undefined) throw new Error(`template ${templateId}`);
    const values = this.#read(node, { view, cursor, block: block ?? 0 });
    if (cursor.at !== bytes.length) throw new Error(`${bytes.length - cursor.at} bytes left over`);
    return { template: node.attributes["name"] ?? "", version: version ?? 0, values };
  }

  #read(
    node: Node,
    { view, cursor, block }: { view: Buffer; cursor: Cursor; block: number },
  ): Values {
    const values: Record<string, Value> = {};
    let at = cursor.at;
    cursor.at += block;
    const end = cursor.at;
    for (const child of node.children) {
      const name = child.attributes["name"] ?? "";
      if (child.tag === "field" && child.attributes["presence"] !== "constant") {
        const size = this.#sizeOf(child);
        if (at + size > end) throw new Error(`the block ends before ${name}`);
        values[name] = this.#readField(child, view, at);
        at += size;
      } else if (child.tag === "group") values[name] = this.#readGroup(child, view, cursor);
      else if (child.tag === "data") values[name] = this.#readData(child, view, cursor);
    }
    if (at !== end) throw new Error(`the block of ${node.attributes["name"]} is too long`);
    return values;
  }

  #readGroup(node: Node, view: Buffer, cursor: Cursor): Rows {
    const is16 = node.attributes["dimensionType"] === "groupSize16Encoding";
    const block = view.readUInt16LE(cursor.at);
    const count = is16 ? view.readUInt16LE(cursor.at + 2) : view.readUInt32LE(cursor.at + 2);
    cursor.at += is16 ? 4 : 6;
    return Array.from({ length: count }, () => this.#read(node, { view, cursor, block }));
  }

  #readData(node: Node, view: Buffer, cursor: Cursor): Value {
    const size = this.#lengthBytes(node);
    const length = view.readUIntLE(cursor.at, size);
    const from = cursor.at + size;
    cursor.at = from + length;
    const bytes = view.subarray(from, cursor.at);
    if (bytes.length !== length) throw new Error("a text ends after the message");
    if (!/messageData/i.test(node.attributes["type"] ?? "")) return bytes.toString("utf8");
    return length === 0 ? null : this.decode(bytes);
  }

  #lengthBytes(node: Node): number {
    const length = this.#types.get(node.attributes["type"] ?? "")?.children[0];
    return bytesOf[length?.attributes["primitiveType"] ?? ""] ?? 0;
  }

  /** Primitive type and number of elements of a field. */
  #primitive(field: Node): readonly [primitive: string, length: number] {
    const named = field.attributes["type"] ?? "";
    const type = this.#types.get(named);
    if (type === undefined) return [named, 1];
    const primitive = type.attributes["encodingType"] ?? type.attributes["primitiveType"] ?? "";
    return [primitive, Number(type.attributes["length"] ?? 1)];
  }

  #sizeOf(field: Node): number {
    const [primitive, length] = this.#primitive(field);
    return (bytesOf[primitive] ?? 0) * length;
  }

  #readField(field: Node, view: Buffer, at: number): Value {
    const [primitive, length] = this.#primitive(field);
    if (primitive === "float") {
      const value = view.readFloatLE(at);
      return Number.isNaN(value) ? null : value;
    }
    if (length === 16) {
      const value = view.readBigUInt64LE(at) | (view.readBigInt64LE(at + 8) << 64n);
      return value === -(2n ** 127n) ? null : value;
    }
    const value = readWhole(primitive, view, at);
    if (field.attributes["presence"] === "optional" && value === nullOf(primitive)) return null;
    return this.#named(field.attributes["type"] ?? "", value);
  }

  #named(type: string, value: bigint): Value {
    if (type === "boolEnum") return value === 1n;
    const node = this.#types.get(type);
    if (node?.tag === "set") return value;
    if (node?.tag !== "enum") return value;
    const valid = node.children.find(({ text }) => BigInt(text) === value);
    if (valid === undefined) throw new Error(`${type} has no code ${value}`);
    return valid.attributes["mbx:jsonValue"] ?? valid.attributes["name"] ?? "";
  }

  /** Encodes a message again, with the header's version. */
  encode({ template, version, values }: Decoded): Buffer {
    const node = this.message(template);
    const { block, rest } = this.#write(node, values);
    const header = Buffer.alloc(8);
    [block.length, Number(node.attributes["id"]), this.id, version].forEach((value, index) => {
      header.writeUInt16LE(value, 2 * index);
    });
    return Buffer.concat([header, block, rest]);
  }

  #write(node: Node, values: Values): { block: Buffer; rest: Buffer } {
    const block: Buffer[] = [];
    const rest: Buffer[] = [];
    for (const child of node.children) {
      const value = values[child.attributes["name"] ?? ""] ?? null;
      if (child.tag === "field" && child.attributes["presence"] !== "constant")
        block.push(this.#writeField(child, value));
      else if (child.tag === "group") rest.push(this.#writeGroup(child, value as Rows));
      else if (child.tag === "data") {
        const bytes = isDecoded(value) ? this.encode(value) : Buffer.from((value as string) ?? "");
        const length = Buffer.alloc(this.#lengthBytes(child));
        length.writeUIntLE(bytes.length, 0, length.length);
        rest.push(length, bytes);
      }
    }
    return { block: Buffer.concat(block), rest: Buffer.concat(rest) };
  }

  #writeGroup(node: Node, rows: Rows): Buffer {
    const is16 = node.attributes["dimensionType"] === "groupSize16Encoding";
    const head = Buffer.alloc(is16 ? 4 : 6);
    const size = node.children
      .filter(({ tag, attributes }) => tag === "field" && attributes["presence"] !== "constant")
      .reduce((sum, field) => sum + this.#sizeOf(field), 0);
    head.writeUInt16LE(size, 0);
    head.writeUIntLE(rows.length, 2, is16 ? 2 : 4);
    const written = rows.map((row) => this.#write(node, row));
    return Buffer.concat([head, ...written.flatMap(({ block, rest }) => [block, rest])]);
  }

  #writeField(field: Node, value: Value): Buffer {
    const [primitive, length] = this.#primitive(field);
    const bytes = Buffer.alloc((bytesOf[primitive] ?? 0) * length);
    if (primitive === "float") bytes.writeFloatLE(value === null ? Number.NaN : Number(value));
    else if (length === 16) {
      const whole = value === null ? -(2n ** 127n) : (value as bigint);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, whole), 0);
      bytes.writeBigInt64LE(whole >> 64n, 8);
    } else {
      const whole = value === null ? nullOf(primitive) : this.#codeOf(field, value);
      const bits = 8 * bytes.length;
      for (let index = 0; index < bytes.length; index++)
        bytes[index] = Number((BigInt.asUintN(bits, whole) >> BigInt(8 * index)) & 255n);
    }
    return bytes;
  }

  #codeOf(field: Node, value: Value): bigint {
    if (typeof value === "boolean") return value ? 1n : 0n;
    if (typeof value !== "string") return value as bigint;
    const valid = this.#types
      .get(field.attributes["type"] ?? "")
      ?.children.find(
        ({ attributes: { "mbx:jsonValue": json, name } }) => (json ?? name) === value,
      );
    return BigInt(valid?.text ?? 0);
  }
}

function readWhole(primitive: string, view: Buffer, at: number): bigint {
  const size = bytesOf[primitive] ?? 0;
  let value = 0n;
  for (let index = size - 1; index >= 0; index--)
    value = (value << 8n) | BigInt(view[at + index] ?? 0);
  return primitive.startsWith("u") ? value : BigInt.asIntN(8 * size, value);
}

/** The value that means null: the lowest of signed numbers, the highest of unsigned ones. */
function nullOf(primitive: string): bigint {
  const bits = BigInt(8 * (bytesOf[primitive] ?? 0));
  return primitive.startsWith("u") ? 2n ** bits - 1n : -(2n ** (bits - 1n));
}
