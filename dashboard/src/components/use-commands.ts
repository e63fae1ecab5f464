import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { foundRuns, foundSources } from "../api/find";
import type { RunSummary, Source } from "../api/types";
import { useTheme, type Theme } from "../store/theme";
import { formatRelative } from "../ui/format";
import type { IconName } from "../ui/icon";
import { useNow } from "../ui/time";
import { PLACES } from "./places";
import { KIND_LABELS } from "./runs-table";
import { targetLabel } from "./target-label";
import { placeOf } from "./target-place";
import { lookOf, RUN_LOOKS, SOURCE_LOOKS } from "./tones";

export interface Command {
  key: string;
  group: "Pages" | "Actions" | "Sources" | "Repositories" | "Runs";
  label: string;
  /** What tells it apart from others with the same label. */
  note?: string;
  icon: IconName;
  run: () => void;
}

const MOST_RUNS = 6;
const PAUSE_MILLIS = 150;

const THEMES: readonly (readonly [Theme, string, IconName])[] = [
  ["light", "Theme: light", "sun"],
  ["dark", "Theme: dark", "moon"],
  ["system", "Theme: as the system", "system"],
];

/** Returns whether each word of the search is in one of the texts. */
export function fits(search: string, ...texts: readonly string[]): boolean {
  const all = texts.join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** The text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MILLIS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface Found {
  sources: readonly Source[];
  runs: readonly RunSummary[];
  isSearching: boolean;
  error: unknown;
}

/** What the server finds. Until it answers, what it found before is displayed as far as it fits. */
function useFound(text: string): Found {
  const settled = useSettled(text);
  const sources = useQuery(foundSources(settled));
  const runs = useQuery(foundRuns(settled));
  return {
    sources: sources.data?.sources.filter(({ name, url }) => !sources.isPlaceholderData || fits(text, name, url)) ?? [],
    runs: runs.data?.runs.filter(({ target }) => !runs.isPlaceholderData || fits(text, target)) ?? [],
    isSearching: settled !== text || sources.isFetching || runs.isFetching,
    error: sources.error ?? runs.error,
  };
}

/** Everything that fits the search, in groups. */
export function useCommands(search: string, showShortcuts: () => void) {
  const text = search.trim();
  const navigate = useNavigate();
  const setTheme = useTheme((state) => state.setTheme);
  const now = useNow();
  const found = useFound(text);
  const go = (path: string) => () => void navigate(path);
  const pages = PLACES.map(([path, label, icon]): Command => ({
    key: path,
    group: "Pages",
    label,
    icon,
    run: go(path),
  }));
  const actions: Command[] = [
    { key: "heal", group: "Actions", label: "Heal a repository", icon: "heal", run: go("/#heal") },
    { key: "add", group: "Actions", label: "Add a source", icon: "plus", run: go("/new-source") },
    ...THEMES.map(([theme, label, icon]): Command => ({
      key: theme,
      group: "Actions",
      label,
      icon,
      run: () => setTheme(theme),
    })),
    { key: "keys", group: "Actions", label: "Keyboard shortcuts", icon: "info", run: showShortcuts },
  ];
  const shown = text === "" ? { sources: [], runs: [] } : found;
  const repositories = new Set(shown.runs.filter(({ kind }) => kind === "HEAL_REPO").map(({ target }) => target));
  const commands: Command[] = [
    ...[...pages, ...actions].filter(({ label }) => fits(text, label)),
    ...shown.sources.map(({ name, state }): Command => ({
      key: `source ${name}`,
      group: "Sources",
      label: name,
      note: lookOf(SOURCE_LOOKS, state).label,
      icon: "sources",
      run: go(`/sources/${encodeURIComponent(name)}`),
    })),
    ...[...repositories].slice(0, MOST_RUNS).map((target): Command => ({
      key: `repository ${target}`,
      group: "Repositories",
      label: targetLabel(target),
      note: "All runs",
      icon: "branch",
      run: go(placeOf(target)),
    })),
    ...shown.runs.slice(0, MOST_RUNS).map(({ runId, target, kind, state, startedAt }): Command => ({
      key: `run ${runId}`,
      group: "Runs",
      label: targetLabel(target),
      note: [KIND_LABELS[kind], lookOf(RUN_LOOKS, state).label, formatRelative(Date.parse(startedAt), now)].join(", "),
      icon: "runs",
      run: go(`/runs/${runId}`),
    })),
  ];
  return { commands, isSearching: text !== "" && found.isSearching, error: text === "" ? undefined : found.error };
}
