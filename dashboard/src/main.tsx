import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { makeQueryClient } from "./api/query-client";
import { App } from "./app";
import "./index.css";
import { watchConnection } from "./store/connection";
import { takeTokenFromAddress } from "./store/session";
import { watchTheme } from "./store/theme";

async function start() {
  if (import.meta.env.MODE === "mock") {
    const { startMockApi } = await import("./mocks/browser");
    await startMockApi();
  }
  takeTokenFromAddress();
  watchTheme();
  watchConnection();
  const root = document.getElementById("root");
  if (!root) throw new Error("index.html has no element `root`");
  createRoot(root).render(
    <StrictMode>
      <BrowserRouter>
        <App client={makeQueryClient()} />
      </BrowserRouter>
    </StrictMode>,
  );
}

void start();
