import { useEffect, useRef, useState, type ReactNode } from "react";

/** Content that is drawn when its place comes into view, and stays from then on. */
export function WhenVisible({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isVisible, setVisible] = useState(() => typeof IntersectionObserver === "undefined");
  useEffect(() => {
    if (isVisible || !place.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setVisible(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isVisible]);
  return (
    <div ref={place} className="size-full">
      {isVisible && children}
    </div>
  );
}
