// Behaviour of the documentation pages: theme, search, and the list of documents, which is open on a wide screen.

import { dressSamples } from "./portal/samples.ts";
import { keepTheme, theme, turnTheme } from "./theme.ts";

interface Found {
  readonly a: string;
  readonly page: string;
  readonly title: string;
  readonly words: string;
}

const foundMax = 12;
const wide = matchMedia("(min-width: 900px)");

let index: Promise<readonly Found[]> | null = null;

/** Returns the search index, which is loaded at the first search. */
function searchIndex(): Promise<readonly Found[]> {
  index ??= fetch("/docs/search.json").then((answer) => answer.json() as Promise<Found[]>);
  return index;
}

/**
 * Returns the score of a search entry. A match in a title counts more than one in the text; 0 if a search word is
 * missing.
 */
function fitOf({ title, page, words }: Found, terms: readonly string[]): number {
  const [name, where, text] = [title, page, words].map((part) => part.toLowerCase());
  let fit = 0;
  for (const word of terms) {
    const score = name?.includes(word)
      ? 4
      : where?.includes(word)
        ? 2
        : text?.includes(word)
          ? 1
          : 0;
    if (score === 0) return 0;
    fit += score + (name === word ? 4 : 0);
  }
  return fit;
}

function resultOf({ a, page, title, words }: Found): HTMLLIElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = a;
  link.textContent = title;
  const where = document.createElement("small");
  where.textContent = title === page ? words : `${page}. ${words}`;
  item.append(link, where);
  return item;
}

async function show(container: HTMLElement, text: string): Promise<void> {
  const terms = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  container.hidden = terms.length === 0;
  if (terms.length === 0) return;
  const fits = (await searchIndex())
    .map((found) => ({ found, fit: fitOf(found, terms) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .slice(0, foundMax);
  const list = document.createElement("ul");
  list.append(...fits.map(({ found }) => resultOf(found)));
  const none = document.createElement("p");
  none.textContent = "No results.";
  container.replaceChildren(fits.length === 0 ? none : list);
}

function startSearch(form: HTMLFormElement, container: HTMLElement): void {
  const field = form.querySelector("input");
  if (field === null) return;
  let shown = Promise.resolve();
  field.addEventListener("input", () => {
    shown = show(container, field.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // The results of what was typed may still be on their way.
    void shown.then(() => {
      if (!container.hidden) container.querySelector("a")?.click();
    });
  });
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape") {
      field.value = "";
      container.hidden = true;
    }
  });
  container.addEventListener("click", () => {
    container.hidden = true;
  });
}

keepTheme();
const button = document.querySelector<HTMLButtonElement>("#theme");
button?.addEventListener("click", turnTheme);
theme.subscribe((now) => {
  if (button !== null) button.textContent = now === "dark" ? "☀" : "☾";
});
const places = document.querySelector<HTMLDetailsElement>("#places");
if (places !== null) places.open = wide.matches;
const form = document.querySelector<HTMLFormElement>("#search");
const found = document.querySelector<HTMLElement>("#found");
if (form !== null && found !== null) startSearch(form, found);
dressSamples();
