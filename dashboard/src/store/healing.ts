import { create } from "zustand";

interface Healing {
  /** The job that this page submitted or watches. */
  jobId: string | undefined;
  /** When the watching began, in milliseconds. */
  since: number;
  isSubmitting: boolean;
  /** Why the last submission failed. */
  submitError: unknown;
  submitting: () => void;
  submitFailed: (error: unknown) => void;
  watch: (jobId: string, since?: number) => void;
}

/** The healing that the reader is about. What the server knows of it is read by `useHealing`. */
export const useHealingStore = create<Healing>()((set) => ({
  jobId: undefined,
  since: 0,
  isSubmitting: false,
  submitError: undefined,
  submitting: () => set({ isSubmitting: true, submitError: undefined }),
  submitFailed: (submitError) => set({ isSubmitting: false, submitError }),
  watch: (jobId, since = Date.now()) => set({ jobId, since, isSubmitting: false, submitError: undefined }),
}));
