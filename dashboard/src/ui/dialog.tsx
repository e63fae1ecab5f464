import { useId, useLayoutEffect, useRef, type ReactNode } from "react";

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Stands at the top, where its growing content does not move it; the title is for screen readers. */
  isPalette?: boolean;
  /** Leaves room for a table. */
  isWide?: boolean;
  children: ReactNode;
}

const LOOK = "rounded-lg border border-line-strong bg-surface text-ink shadow-xl backdrop:bg-black/50";

/** A dialog that is open as long as it is drawn; the browser keeps the focus in it and closes it on Escape. */
export function Dialog({ title, onClose, isPalette = false, isWide = false, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Only a method call opens a dialog as a modal one. The focus returns before the dialog leaves the page: after that,
  // the browser no longer knows where it was.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`${LOOK} ${isPalette ? "mx-auto mt-[8vh]" : "m-auto p-5"} ${isPalette || isWide ? "w-[min(38rem,calc(100vw-2rem))]" : "w-[min(28rem,calc(100vw-2rem))]"}`}
    >
      <h2 id={id} className={isPalette ? "sr-only" : "mb-2 text-base font-semibold"}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
