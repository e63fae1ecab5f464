import { useId } from "react";
import { useTheme, type Theme } from "../store/theme";
import { Icon, type IconName } from "../ui/icon";

const THEMES: readonly (readonly [Theme, string, IconName])[] = [
  ["system", "As the system", "system"],
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
];

export function ThemeSwitch() {
  const { theme, setTheme } = useTheme();
  // The side bar and the menu have one each: under one name the browser would leave only one of them checked.
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label="Theme"
      className="inline-flex self-start rounded-md border border-line bg-canvas p-0.5"
    >
      {THEMES.map(([value, label, icon]) => (
        <label
          key={value}
          title={label}
          className="relative grid size-7 cursor-pointer place-items-center rounded text-muted has-checked:bg-surface has-checked:text-ink has-checked:ring-1 has-checked:ring-line-strong has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={theme === value}
            onChange={() => setTheme(value)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          <Icon name={icon} />
          <span className="sr-only">{label}</span>
        </label>
      ))}
    </div>
  );
}
