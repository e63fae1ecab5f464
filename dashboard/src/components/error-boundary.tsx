import { Component, type ErrorInfo, type ReactNode } from "react";
import { reportCrash } from "../api/report";
import { Button } from "../ui/button";
import { Message } from "../ui/message";

/** Keeps a crash of one part from taking the page with it, and reports it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false };

  static getDerivedStateFromError() {
    return { crashed: true };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo) {
    reportCrash(error, info.componentStack);
  }

  override render() {
    if (!this.state.crashed) return this.props.children;
    return (
      <div role="alert" className="grid min-h-80 place-items-center">
        <Message
          icon="warning"
          title="This part of the page crashed"
          action={
            <Button kind="primary" onClick={() => window.location.reload()}>
              Reload
            </Button>
          }
        >
          Nothing on the server is affected. Reload to go on; what happened is in the browser's console.
        </Message>
      </div>
    );
  }
}
