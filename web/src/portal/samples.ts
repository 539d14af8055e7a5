// Code on the pages of the documentation: a button that copies each block, and tabs of languages beside the endpoints of
// the REST reference. The chosen language holds for all pages. Without this program every block is still readable.

const languageName = "language";
const copiedMs = 1_500;

function button(label: string, className: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

/** Selects the text of an element, for readers whose browser does not let a page copy. */
function select(element: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(element);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
}

/** Adds a button that copies a block to the block's frame. */
function addCopy(block: HTMLElement): void {
  const frame = document.createElement("div");
  frame.className = "code";
  block.replaceWith(frame);
  const copy = button("Copy", "quiet copy", () => {
    const text = block.textContent ?? "";
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("refused"));
    written.then(
      () => {
        copy.textContent = "Copied";
        setTimeout(() => {
          copy.textContent = "Copy";
        }, copiedMs);
      },
      () => select(block),
    );
  });
  frame.append(block, copy);
}

/** Shows the examples in a language; groups that lack it show their first. */
function showLanguage(label: string): void {
  for (const group of document.querySelectorAll<HTMLElement>(".samples")) {
    const parts = [...group.querySelectorAll<HTMLElement>("[data-label]")];
    const shown = parts.find((part) => part.dataset["label"] === label) ?? parts[0];
    for (const part of parts) part.hidden = part !== shown;
    for (const tab of group.querySelectorAll<HTMLElement>(".languages button:not(.try)"))
      tab.setAttribute("aria-pressed", String(tab.textContent === shown?.dataset["label"]));
  }
}

function choose(label: string): void {
  localStorage.setItem(languageName, label);
  showLanguage(label);
}

function addTabs(group: HTMLElement): void {
  const labels = [...group.querySelectorAll<HTMLElement>("[data-label]")].map(
    (part) => part.dataset["label"] ?? "",
  );
  const bar = document.createElement("div");
  bar.className = "languages";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", `Example of ${group.dataset["name"]}`);
  bar.append(...labels.map((label) => button(label, "quiet", () => choose(label))));
  if (group.dataset["call"] !== undefined) {
    const open = button("Try it", "quiet try", () => {
      open.disabled = true;
      // Loaded only by readers who send requests.
      void import("./try-it.ts").then(({ addConsole }) => addConsole(group));
    });
    open.setAttribute("aria-label", `Try it: ${group.dataset["name"]}`);
    bar.append(open);
  }
  group.prepend(bar);
}

/** Adds tabs and buttons to the page. */
export function dressSamples(): void {
  for (const block of document.querySelectorAll<HTMLElement>("main pre")) addCopy(block);
  for (const group of document.querySelectorAll<HTMLElement>(".samples")) addTabs(group);
  showLanguage(localStorage.getItem(languageName) ?? "curl");
}
