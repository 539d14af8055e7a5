// The theme: the system's theme until the user chooses one.

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

/** Switches the theme and stores the choice. */
export function turnTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(storageName, theme.value);
}

/** Applies the theme to the page at every change. */
export function keepTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
}
