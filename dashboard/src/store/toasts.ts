import { create } from "zustand";

export type ToastTone = "bad" | "good" | "info";

export interface Toast {
  id: number;
  /** Toasts of one key replace one another: a server that is away is told once, not every ten seconds. */
  key: string;
  tone: ToastTone;
  title: string;
  message?: string | undefined;
  /** A button of the toast, such as Retry. */
  action?: { label: string; act: () => void } | undefined;
}

interface Toasts {
  toasts: Toast[];
  show: (toast: Omit<Toast, "id">) => void;
  dismiss: (id: number) => void;
  /** Takes back what no longer holds. */
  dismissKey: (key: string) => void;
}

/** More than this hides the page. */
const MOST = 4;

let lastId = 0;

export const useToasts = create<Toasts>()((set) => ({
  toasts: [],
  show: (toast) => {
    lastId += 1;
    const shown = { ...toast, id: lastId };
    set(({ toasts }) => ({ toasts: [...toasts.filter(({ key }) => key !== toast.key), shown].slice(-MOST) }));
  },
  dismiss: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
  dismissKey: (key) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.key !== key) })),
}));
