import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

interface Session {
  /** What the server is to be shown; kept for this tab only. */
  token: string;
  /** Whether the server refused what it was shown. */
  tokenWanted: boolean;
  askForToken: () => void;
  setToken: (token: string) => void;
  dismiss: () => void;
}

const IN_ADDRESS = /^#token=([^&]+)$/;

/** Takes the token from the address that `autoheal serve` prints, where it stands after `#`, and removes it there. */
export function takeTokenFromAddress() {
  const token = IN_ADDRESS.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  useSession.getState().setToken(decodeURIComponent(token));
}

/** Who this page is to the server. */
export const useSession = create<Session>()(
  persist(
    (set) => ({
      token: "",
      tokenWanted: false,
      askForToken: () => set({ tokenWanted: true }),
      setToken: (token) => set({ token, tokenWanted: false }),
      dismiss: () => set({ tokenWanted: false }),
    }),
    {
      name: "autoheal-session",
      storage: createJSONStorage(() => sessionStorage),
      partialize: ({ token }) => ({ token }),
    },
  ),
);
