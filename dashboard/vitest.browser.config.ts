import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["e2e/**/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    // Each file has a server and a browser for itself, and waits for them half of the time. The default on two cores is one file.
    maxWorkers: 2,
  },
});
