import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
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

/** Compresses the texts of the build once, so that the server does not do it for each browser. */
function compressed(): Plugin {
  return {
    name: "compressed",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          if (!/\.(?:js|css|svg)$/.test(fileName)) continue;
          const text = file.type === "chunk" ? file.code : file.source;
          this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(text, { level: 9 }) });
        }
      },
    },
  };
}

/** The most that a browser loads before the first page is there, compressed. */
const FIRST_LOAD_KIB = 120;

/** Fails the build if the files that `index.html` names are larger than that. */
function firstLoadLimit(): Plugin {
  return {
    name: "first-load-limit",
    writeBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      const html = String(page.source);
      const names = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name ?? "");
      const texts = names.map((name) => {
        const file = bundle[name];
        return file?.type === "chunk" ? file.code : (file?.source ?? "");
      });
      const bytes = [html, ...texts].reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
      const size = `the first load takes ${(bytes / 1024).toFixed(1)} KiB`;
      if (bytes > FIRST_LOAD_KIB * 1024) this.error(`${size}, more than ${FIRST_LOAD_KIB}`);
      this.info(size);
    },
  };
}

/** The API's server. It sees the page's own address as the host, as it refuses what other origins ask. */
const api = { target: process.env.AUTOHEAL_SERVER ?? "http://127.0.0.1:8080", changeOrigin: false };

/** The packages and modules that every page needs. */
const BASE = new RegExp(
  "node_modules/(react|react-dom|scheduler|react-router|@tanstack/(query-core|react-query)|zustand)/|" +
    "src/store/(connection|healing|lists|session|shortcuts|theme|toasts)|src/api/(client|errors|describe|queries|query-client|report)|" +
    "src/ui/(badge|button|field|format|icon|lazy-part|loaded|message|page|panel|skeleton|time)\\.",
);

export default defineConfig(({ mode }) => ({
  plugins: [react(), tailwindcss(), ...(mode === "mock" ? [mockServiceWorker()] : [firstLoadLimit(), compressed()])],
  build: {
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      // What every page needs is one file: it compresses better, and takes one request.
      output: { codeSplitting: { groups: [{ name: "base", test: BASE }] } },
    },
  },
  server: mode === "mock" ? {} : { proxy: { "/api": api } },
}));
