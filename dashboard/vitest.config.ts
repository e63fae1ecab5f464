import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  test: {
    environment: "jsdom",
    environmentOptions: { jsdom: { url: "http://127.0.0.1:3000/" } },
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    css: false,
    // Two cores are shared with builds; a slow machine is not a failure.
    testTimeout: 60_000,
    // The default on two cores is one file at a time.
    maxWorkers: 2,
  },
});
