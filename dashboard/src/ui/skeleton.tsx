/** Grey lines in the place and height of what is to come, so that nothing jumps when it does. */
export function Skeleton({ lines = 3, className = "h-5" }: { lines?: number; className?: string }) {
  return (
    <div role="status" className="flex flex-col gap-3 p-4">
      <span className="sr-only">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={`pulsing block w-full rounded bg-sunken ${className}`} />
      ))}
    </div>
  );
}
