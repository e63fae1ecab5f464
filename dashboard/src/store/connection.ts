import { create } from "zustand";

interface Connection {
  /** Whether the machine has a network, as far as the browser knows. */
  online: boolean;
  /** Whether the server answered the last request. */
  reachable: boolean;
  setReachable: (reachable: boolean) => void;
}

/** Whether what is shown can be up to date. */
export const useConnection = create<Connection>()((set, get) => ({
  online: navigator.onLine,
  reachable: true,
  // Every request reports here; those who listen hear of changes alone.
  setReachable: (reachable) => {
    if (get().reachable !== reachable) set({ reachable });
  },
}));

/** Listens to the browser for as long as the page lives. */
export function watchConnection(): () => void {
  const online = () => useConnection.setState({ online: true });
  const offline = () => useConnection.setState({ online: false });
  window.addEventListener("online", online);
  window.addEventListener("offline", offline);
  return () => {
    window.removeEventListener("online", online);
    window.removeEventListener("offline", offline);
  };
}
