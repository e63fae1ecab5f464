import type { ReactNode } from "react";
import { Failure } from "./message";
import { Skeleton } from "./skeleton";

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  /** How tall what comes is, in lines. */
  lines?: number;
  children: (data: T) => ReactNode;
}

/** What a query gives: its data once there is any, else where it stands. Old data stays while new data comes. */
export function Loaded<T>({ query, lines = 4, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}
