#!/usr/bin/env node
// Starts the program that npm installed for this platform.
"use strict";

const { spawn } = require("node:child_process");

const PACKAGES = { "linux x64": "autoheal-linux-x64", "linux arm64": "autoheal-linux-arm64" };

function program() {
  const platform = `${process.platform} ${process.arch}`;
  const name = PACKAGES[platform];
  if (!name) {
    throw new Error(`there is no build for ${platform}: build autoheal from source`);
  }
  try {
    return require.resolve(`${name}/bin/autoheal`);
  } catch {
    throw new Error(`the package ${name} is missing: install autoheal again without --omit=optional (it needs glibc)`);
  }
}

let file;
try {
  file = program();
} catch (error) {
  console.error(`autoheal: ${error.message}`);
  process.exit(1);
}
const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to both; this process waits for what the program makes of it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal === "SIGINT" || child.kill(signal));
}
child.on("error", (error) => {
  console.error(`autoheal: cannot start ${file}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code ?? 1);
  }
});
