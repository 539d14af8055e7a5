// Behaviour of the documentation pages: theme, search, the list of documents, which is open on a wide
// screen, and the venue's address in examples.

import { dressSamples } from "./portal/samples.ts";
import { type Found, searched } from "./portal/search.ts";
import { keepTheme, theme, turnTheme } from "./theme.ts";

/** The venue's host as the documents write it. */
const writtenHost = "127.0.0.1:8080";
const wide = matchMedia("(min-width: 900px)");

let index: Promise<readonly Found[]> | null = null;

/** Returns the search index, which is loaded at the first search. */
function searchIndex(): Promise<readonly Found[]> {
  index ??= fetch("/docs/search.json").then((answer) => answer.json() as Promise<Found[]>);
  return index;
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
  container.hidden = text.trim() === "";
  if (container.hidden) return;
  const fits = searched(await searchIndex(), text);
  const list = document.createElement("ul");
  list.append(...fits.map(resultOf));
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

/**
 * Writes the address of this venue into the examples, which have that of a venue on the reader's own machine. What a
 * reader copies works as it is.
 */
function showAddress(): void {
  const { host, origin } = location;
  for (const code of document.querySelectorAll("main code")) {
    const text = code.textContent ?? "";
    if (!text.includes(writtenHost)) continue;
    code.textContent = text
      .replaceAll(`http://${writtenHost}`, origin)
      .replaceAll(
        `ws://${writtenHost}`,
        `${origin.replace(/:.*/, "").replace("http", "ws")}://${host}`,
      );
  }
}

keepTheme();
showAddress();
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
