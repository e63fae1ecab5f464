import type { IconName } from "../ui/icon";

/** The pages of the menu. */
export const PLACES: readonly (readonly [path: string, label: string, icon: IconName])[] = [
  ["/", "Overview", "overview"],
  ["/needs", "Needs you", "check"],
  ["/runs", "Runs", "runs"],
  ["/sources", "Sources", "sources"],
  ["/queue", "Queue", "queue"],
  ["/alerts", "Alerts", "alerts"],
  ["/usage", "Usage and cost", "usage"],
  ["/reference", "API reference", "reference"],
];
