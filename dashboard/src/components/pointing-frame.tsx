import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { snapshotPage } from "../api/source-queries";
import { Field } from "../ui/field";
import { Loaded } from "../ui/loaded";

const NUMBER = "data-autoheal-element";
/** The most elements that a search lists. */
const MOST_FOUND = 12;
/** A longer text is cut in the list. */
const SHORT = 80;

interface Pointable {
  number: number;
  tag: string;
  text: string;
}

const textOf = (element: Element) =>
  (element.textContent.trim() || (element.getAttribute("alt") ?? "")).replace(/\s+/g, " ");

function pointable(element: Element | null): Pointable | undefined {
  const found = element?.closest(`[${NUMBER}]`);
  const number = Number(found?.getAttribute(NUMBER) ?? NaN);
  return found && Number.isInteger(number) ? { number, tag: found.localName, text: textOf(found) } : undefined;
}

/** The innermost elements that show a text: the page is parsed, never run. */
function elementsWith(html: string, wanted: string): Pointable[] {
  const words = wanted.trim().toLowerCase();
  if (words === "") return [];
  const page = new DOMParser().parseFromString(html, "text/html");
  const shows = (element: Element) => textOf(element).toLowerCase().includes(words);
  const fitting = [...page.querySelectorAll(`[${NUMBER}]`)].filter(
    (element) => shows(element) && ![...element.children].some(shows),
  );
  return fitting.slice(0, MOST_FOUND).flatMap((element) => pointable(element) ?? []);
}

interface FrameProps {
  html: string;
  chosen: number | undefined;
  onPoint: (element: Pointable) => void;
}

/**
 * The page in a frame whose elements can be clicked. Nothing in the frame runs: it may not run scripts, and the page was
 * sanitised. It has the origin of the dashboard so that the dashboard, not the page, can listen to clicks.
 */
function Frame({ html, chosen, onPoint }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [loads, setLoads] = useState(0);
  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (!page) return;
    const point = (event: Event) => {
      event.preventDefault();
      const element = pointable(event.target as Element | null);
      if (element) onPoint(element);
    };
    page.addEventListener("click", point);
    return () => page.removeEventListener("click", point);
  }, [loads, onPoint]);
  useEffect(() => {
    const page = frame.current?.contentDocument;
    const element = chosen === undefined ? null : page?.querySelector(`[${NUMBER}="${chosen}"]`);
    element?.setAttribute("data-autoheal-field", "this");
    element?.scrollIntoView({ block: "nearest" });
    return () => element?.removeAttribute("data-autoheal-field");
  }, [loads, chosen]);
  return (
    <iframe
      ref={frame}
      title="Stored page: click an element"
      sandbox="allow-same-origin"
      srcDoc={html}
      className="size-full"
      onLoad={() => setLoads((count) => count + 1)}
    />
  );
}

interface PointingFrameProps {
  name: string;
  snapshotId: number;
  chosen: number | undefined;
  onPoint: (element: Pointable) => void;
}

/** A stored page on which the user points at an element: by a click, or by its text. */
export function PointingFrame({ name, snapshotId, chosen, onPoint }: PointingFrameProps) {
  const page = useQuery(snapshotPage(name, snapshotId, undefined, true));
  const [wanted, setWanted] = useState("");
  const found = useMemo(() => elementsWith(page.data ?? "", wanted), [page.data, wanted]);
  return (
    <div className="min-w-0">
      <Field
        label="Find an element by its text"
        placeholder="a value as the page shows it"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      {wanted.trim() !== "" && (
        <ul aria-label="Elements with this text" className="mt-2 max-h-40 overflow-y-auto">
          {found.map((element) => (
            <li key={element.number}>
              <button
                type="button"
                aria-pressed={element.number === chosen}
                className="w-full rounded-md px-2 py-1 text-start hover:bg-sunken aria-pressed:bg-sunken"
                onClick={() => onPoint(element)}
              >
                <code className="me-2 font-mono text-xs text-muted">{element.tag}</code>
                <span className="wrap-anywhere">{element.text.slice(0, SHORT) || "(no text)"}</span>
              </button>
            </li>
          ))}
          {found.length === 0 && page.data !== undefined && (
            <li className="px-2 py-1 text-muted">No element of this page shows this text.</li>
          )}
        </ul>
      )}
      <div className="mt-3 h-[30rem] overflow-hidden rounded-md border border-line bg-white">
        <Loaded query={page}>{(html) => <Frame html={html} chosen={chosen} onPoint={onPoint} />}</Loaded>
      </div>
    </div>
  );
}
