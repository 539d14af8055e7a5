// Light or dark: as the system has it until the user says otherwise.

import { effect, signal } from "@preact/signals";

export type Theme = "dark" | "light";

const storageName = "rialto-theme";
const systemIsLight = matchMedia("(prefers-color-scheme: light)");

function chosen(): Theme | null {
  const kept = localStorage.getItem(storageName);
  return kept === "dark" || kept === "light" ? kept : null;
}

export const theme = signal<Theme>(chosen() ?? (systemIsLight.matches ? "light" : "dark"));

systemIsLight.addEventListener("change", ({ matches }) => {
  if (chosen() === null) theme.value = matches ? "light" : "dark";
});

/** Takes the other one, and remembers it. */
export function turnTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(storageName, theme.value);
}

/** Shows the theme on the page whenever it changes. */
export function keepTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
}
