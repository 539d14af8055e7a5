// The code blocks of a document, by the words after their opening fence: the language, then `name=value` to
// the end of the line. `sh until=…` is a command that goes on until its reader has seen enough.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";

export interface DocumentBlock {
  readonly path: string;
  /** Where it opens, from 1. */
  readonly line: number;
  /** Empty for blocks that are not code, such as the output of a command. */
  readonly language: string;
  readonly name: string | null;
  /** What a command that does not end has printed when it has done what the document says. */
  readonly until: string | null;
  readonly text: string;
}

const fence = /^```([a-z]*)(?: (name|until)=(.+))?\n([\s\S]*?)^```$/gm;

/** All blocks of the document at `path`, in their order. */
export function blocksOf(path: string): DocumentBlock[] {
  const page = readFileSync(join(projectRoot, path), "utf8");
  return [...page.matchAll(fence)].map((found) => {
    const [, language = "", attribute, value = "", text = ""] = found;
    return {
      path,
      line: page.slice(0, found.index).split("\n").length,
      language,
      name: attribute === "name" ? value : null,
      until: attribute === "until" ? value : null,
      text,
    };
  });
}

/** Those of one language. */
export function blocksIn(path: string, language: string): DocumentBlock[] {
  return blocksOf(path).filter((block) => block.language === language);
}
