// Rewrites the bundle of a thread so that small things of core and engine stand where they are used: the
// compiler would put them there itself, but stops when it has put 920 bytes of byte code into a function,
// and assertions and cells of arrays alone use that up (docs/decisions/0033). Behaviour stays the same.
//
//   assert(a, "words")   { if (!(a)) failed("words"); }   SlotState.open   2
//   wordAt(words, at)    ((words)[at] ?? outOfRange())     this.#state      this._state
//
// A private field that is assigned by the constructor begins as undefined, and the compiler then never
// trusts what is in it; a plain one is only there once it is assigned.

import { readFileSync, writeFileSync } from "node:fs";
import { parseSync } from "vite";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Rule = (node: Node, parent: Node) => Edit[];

/** A rule that first looks through all of core and engine. */
type RuleOf = (statements: readonly Node[]) => Rule;

const cells = ["wordAt", "byteAt", "shortAt", "numberAt", "amountAt"];

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** Visits all that is inside of these nodes. */
function walk(nodes: readonly Node[], visit: (node: Node, parent: Node) => void): void {
  for (const node of nodes) {
    const children = childrenOf(node);
    for (const child of children) visit(child, node);
    walk(children, visit);
  }
}

/** The statements of core and engine; a module begins with its path as a comment. */
function engineStatements(text: string): Node[] {
  const { program }: { program: unknown } = parseSync("bundle.js", text);
  if (!isNode(program)) throw new Error("a bundle parses");
  const marks = [...text.matchAll(/^\/\/ (\S+\.[a-z]+)$/gm)].reverse();
  return childrenOf(program).filter(({ start }) => {
    const path = marks.find(({ index }) => index <= start)?.[1] ?? "";
    return path.startsWith("src/core/") || path.startsWith("src/engine/");
  });
}

/** Does what the rule says with every node of core and engine. */
function rewrite(text: string, ruleOf: RuleOf): string {
  const statements = engineStatements(text);
  const rule = ruleOf(statements);
  const edits: Edit[] = [];
  walk(statements, (node, parent) => edits.push(...rule(node, parent)));
  edits.sort((one, other) => other.start - one.start || other.end - one.end);
  let rewritten = text;
  for (const { start, end, text: put } of edits) {
    rewritten = rewritten.slice(0, start) + put + rewritten.slice(end);
  }
  return rewritten;
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === "Identifier" ? String(node["name"]) : "";
}

/** Assertions and cells; what is called instead must have kept its name in the bundle. */
function expandCalls(statements: readonly Node[]): Rule {
  const missing = new Set(["assert", "failed", "outOfRange"]);
  walk(statements, ({ id }) => missing.delete(nameOf(id)));
  if (missing.size > 0) throw new Error(`renamed by the bundler: ${[...missing].join(" ")}`);
  return (node, parent) => {
    const name = nameOf(node["callee"]);
    const [first, second] = [node["arguments"]].flat().filter(isNode);
    if (first === undefined || second === undefined) return [];
    const between = { start: first.end, end: second.start };
    if (name === "assert" && parent.type === "ExpressionStatement") {
      // In braces, so that an `else` behind it stays with the `if` before it.
      return [
        { start: parent.start, end: first.start, text: "{ if (!(" },
        { ...between, text: ")) failed(" },
        { start: second.end, end: parent.end, text: "); }" },
      ];
    }
    if (!cells.includes(name)) return [];
    return [
      { start: node.start, end: first.start, text: "((" },
      { ...between, text: ")[" },
      { start: second.end, end: node.end, text: "] ?? outOfRange())" },
    ];
  };
}

/** Numbers by name, as of `MatchLane.orders`. */
function expandConstants(statements: readonly Node[]): Rule {
  const numbers = new Map<string, string>();
  walk(statements, ({ type, id, init }) => {
    const isTable = type === "VariableDeclarator" && isNode(init) && /^[A-Z]/.test(nameOf(id));
    if (!isTable || init.type !== "ObjectExpression") return;
    for (const { key, value } of init["properties"] as Node[]) {
      const isNumber = isNode(value) && typeof value["value"] === "number";
      if (isNumber) numbers.set(`${nameOf(id)}.${nameOf(key)}`, String(value["value"]));
    }
  });
  return ({ type, computed, object, property, start, end }) => {
    if (type !== "MemberExpression" || computed === true) return [];
    const text = numbers.get(`${nameOf(object)}.${nameOf(property)}`);
    return text === undefined ? [] : [{ start, end, text }];
  };
}

/**
 * Plain names for private ones, and no field that is only declared. An heir with private fields is
 * refused, because they could be called like those of the class it comes from.
 */
function openFields(statements: readonly Node[]): Rule {
  walk(statements, ({ superClass, body }) => {
    if (!isNode(superClass) || !isNode(body)) return;
    walk([body], ({ type }) => {
      if (type === "PrivateIdentifier") throw new Error("an heir has private fields");
    });
  });
  const isBare = ({ type, value, static: isStatic }: Node) =>
    type === "PropertyDefinition" && value === null && isStatic === false;
  return (node, parent) => {
    const { start, end } = node;
    if (isBare(node)) return [{ start, end, text: "" }];
    const isNamed = node.type === "PrivateIdentifier" && !isBare(parent);
    return isNamed ? [{ start, end: start + 1, text: "_" }] : [];
  };
}

const [path = ""] = process.argv.slice(2);
const bundle = readFileSync(path, "utf8");
writeFileSync(path, [expandCalls, expandConstants, openFields].reduce(rewrite, bundle));
