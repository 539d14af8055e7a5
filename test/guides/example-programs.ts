// How the examples of each language become one program: the functions of its guide, followed by the examples.

import type { ExampleLanguage } from "./example-reader.ts";

export const javaScript: ExampleLanguage = {
  label: "JavaScript",
  guide: ["docs/guides/run-the-examples.md", "js"],
  file: "examples.mjs",
  wrapped: (line) => `try { ${line} } catch (error) { console.log("failed:", error.message); }`,
  printed: (text) => `console.log(${JSON.stringify(text)});`,
  program: (functions, lines) => [functions, ...lines].join("\n"),
  command: [process.execPath, "examples.mjs"],
};

export const python: ExampleLanguage = {
  label: "Python",
  guide: ["docs/guides/python.md", "python"],
  file: "examples.py",
  wrapped: (line) =>
    `try:\n    ${line}\nexcept RuntimeError as error:\n    print("failed:", error)`,
  printed: (text) => `print(${JSON.stringify(text)})`,
  program: (functions, lines) => [functions, ...lines].join("\n"),
  command: ["python3", "examples.py"],
};

export const go: ExampleLanguage = {
  label: "Go",
  guide: ["docs/guides/go.md", "go"],
  file: "examples.go",
  wrapped: (line) => line,
  printed: (text) => `fmt.Println(${JSON.stringify(text)})`,
  program: (functions, lines) => `${functions}\nfunc main() {\n${lines.join("\n")}\n}\n`,
  command: ["go", "run", "examples.go"],
};
