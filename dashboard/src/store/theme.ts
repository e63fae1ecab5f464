import { create } from "zustand";
import { persist } from "zustand/middleware";

export type Theme = "system" | "light" | "dark";

interface ThemeChoice {
  theme: Theme;
  setTheme: (theme: Theme) => void;
}

/** The chosen theme. `public/theme.js` reads what this stores before the first paint. */
export const useTheme = create<ThemeChoice>()(
  persist((set) => ({ theme: "system", setTheme: (theme) => set({ theme }) }), { name: "autoheal-theme" }),
);

function apply({ theme }: ThemeChoice) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Keeps the document in the chosen theme. */
export function watchTheme(): () => void {
  apply(useTheme.getState());
  return useTheme.subscribe(apply);
}
