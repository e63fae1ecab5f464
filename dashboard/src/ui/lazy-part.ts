/** Parts of the page that are loaded when they are displayed, and what to say when one cannot be loaded. */

import { lazy, type ComponentType } from "react";
import { apiBase } from "../api/client";

/** A part of the page could not be loaded. */
export class PartError extends Error {
  override readonly name = "PartError";

  constructor(
    /** True if the server answers: then it has another version of the page by now. */
    readonly isServerThere: boolean,
    cause: unknown,
  ) {
    super("a part of the page could not be loaded", { cause });
  }
}

/** Returns whether the server answers. */
export async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch(`${apiBase}/healthz`, { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** A component that is loaded when it is first displayed. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (cause) {
      throw new PartError(await isServerThere(), cause);
    }
  });
}
