import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSession } from "../store/session";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";

/** Asks for the token. */
export function TokenDialog() {
  const { token: refused, setToken, dismiss } = useSession();
  const client = useQueryClient();
  const [token, setEntered] = useState("");
  const [problem, setProblem] = useState<string>();
  return (
    <Dialog title="The server wants a token" onClose={dismiss}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!token.trim()) {
            setProblem("Enter the token.");
            return;
          }
          setToken(token.trim());
          void client.resetQueries();
        }}
      >
        <p className="mb-4 text-muted">
          {refused ? "The token that was entered is not accepted. " : ""}
          It is the one that the server was started with, or stands at the end of the address that it printed. It is
          kept for this tab only.
        </p>
        <Field
          label="Token"
          type="password"
          autoComplete="current-password"
          value={token}
          error={problem}
          onChange={(event) => {
            setEntered(event.target.value);
            setProblem(undefined);
          }}
        />
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={dismiss}>Not now</Button>
          <Button type="submit" kind="primary">
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
