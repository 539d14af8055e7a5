// Finds the code blocks of a document. The opening fence names the language, and optionally `name=…` or `until=…` up
// to the end of the line. `sh until=…` marks a command that keeps running until its reader stops it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";

export interface DocumentBlock {
  readonly path: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  /** Language of the code; empty for other blocks, such as the output of a command. */
  readonly language: string;
  readonly name: string | null;
  /** For a command that does not end: the output that shows it has done what the document says. Otherwise null. */
  readonly until: string | null;
  readonly text: string;
}

const fence = /^```([a-z]*)(?: (name|until)=(.+))?\n([\s\S]*?)^```$/gm;

/** Returns all blocks of the document at `path`, in order. */
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

/** Returns the blocks of the document in one language, in order. */
export function blocksIn(path: string, language: string): DocumentBlock[] {
  return blocksOf(path).filter((block) => block.language === language);
}
