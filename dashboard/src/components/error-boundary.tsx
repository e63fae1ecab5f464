import { Component, useState, type ErrorInfo, type ReactNode } from "react";
import { reportCrash } from "../api/report";
import { Button } from "../ui/button";
import { isServerThere, PartError } from "../ui/lazy-part";
import { Message } from "../ui/message";

/** A part that could not be loaded. Reloading without a server would lose the page that is still there. */
function NotLoaded({ wasServerThere }: { wasServerThere: boolean }) {
  const [isThere, setThere] = useState(wasServerThere);
  const [isTrying, setTrying] = useState(false);
  const retry = async () => {
    setTrying(true);
    const answers = await isServerThere();
    if (answers) window.location.reload();
    setThere(answers);
    setTrying(false);
  };
  return (
    <Message
      icon={isThere ? "info" : "offline"}
      title={isThere ? "This page has a newer version" : "The server cannot be reached"}
      action={
        <Button kind="primary" busy={isTrying} onClick={() => void retry()}>
          {isThere ? "Reload" : "Try again"}
        </Button>
      }
    >
      {isThere
        ? "The server was upgraded after you opened this page. Reload it to continue."
        : "This part of the page is not loaded yet. Check the network and that the server runs, then try again."}
    </Message>
  );
}

function Crashed() {
  return (
    <Message
      icon="warning"
      title="This part of the page crashed"
      action={
        <Button kind="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      Nothing on the server is affected. Reload to continue; the browser's console has the details.
    </Message>
  );
}

/** Keeps a crash of one part from taking the page with it, and reports it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown; hasCrashed: boolean }> {
  override state = { error: undefined as unknown, hasCrashed: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, hasCrashed: true };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo) {
    reportCrash(error, info.componentStack);
  }

  override render() {
    const { error, hasCrashed } = this.state;
    if (!hasCrashed) return this.props.children;
    return (
      <div role="alert" className="grid min-h-80 place-items-center">
        {error instanceof PartError ? <NotLoaded wasServerThere={error.isServerThere} /> : <Crashed />}
      </div>
    );
  }
}
