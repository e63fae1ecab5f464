import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";

const SERVICE_WORKER = "mockServiceWorker.js";

/** Serves the mock API's service worker out of its package, so that no copy of it is kept here. */
function mockServiceWorker(): Plugin {
  const source = () => readFileSync(createRequire(import.meta.url).resolve(`msw/${SERVICE_WORKER}`), "utf8");
  return {
    name: "mock-service-worker",
    configureServer(server) {
      server.middlewares.use(`/${SERVICE_WORKER}`, (_request, response) => {
        response.setHeader("Content-Type", "text/javascript").end(source());
      });
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: SERVICE_WORKER, source: source() });
    },
  };
}

/** The API's server. It sees the page's own address as the host, as it refuses what other origins ask. */
const api = { target: process.env.AUTOHEAL_SERVER ?? "http://127.0.0.1:8080", changeOrigin: false };

export default defineConfig(({ mode }) => ({
  plugins: [react(), tailwindcss(), ...(mode === "mock" ? [mockServiceWorker()] : [])],
  build: { chunkSizeWarningLimit: 600 },
  server: mode === "mock" ? {} : { proxy: { "/api": api } },
}));
