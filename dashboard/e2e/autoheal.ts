import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A server of the real binary, with folders of its own. */
export class Autoheal {
  readonly folder = mkdtempSync(join(tmpdir(), "autoheal-e2e."));
  private process: ChildProcess | undefined;
  private said = "";
  /** Where it listens, and what it wants to be shown. */
  address = "";
  token = "";

  readonly data = join(this.folder, "data");

  /** `settings`: the settings file. */
  constructor(
    private readonly binary: string,
    settings = "",
  ) {
    this.write(".config/autoheal/autoheal.toml", settings);
  }

  private write(path: string, text: string) {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  private get environment() {
    return {
      PATH: process.env.PATH,
      HOME: this.folder,
      AUTOHEAL_REPOSITORIES: JSON.stringify([this.folder]),
      AUTOHEAL_ALLOW_PRIVATE: '["127.0.0.1"]',
      AUTOHEAL_HOST_INTERVAL_MILLIS: "0",
    };
  }

  /** Runs a command with the data of the server, which must not run. */
  run(...words: readonly string[]) {
    execFileSync(this.binary, [...words, "--data-dir", this.data], { env: this.environment, stdio: "pipe" });
  }

  /** Starts it; the address that it listens at. */
  async start(): Promise<string> {
    const server = spawn(this.binary, ["serve", "--addr", "127.0.0.1:0", "--data-dir", this.data], {
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.process = server;
    return new Promise((resolve, reject) => {
      const hear = (bytes: Buffer) => {
        this.said += bytes.toString();
        const [, address, token] = /listening at (http:\/\/[0-9.:]+)\/#token=(\w+);/.exec(this.said) ?? [];
        if (address === undefined || token === undefined) return;
        this.address = address;
        this.token = token;
        resolve(address);
      };
      server.stdout.on("data", hear);
      server.stderr.on("data", hear);
      server.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${this.said}`)));
    });
  }

  /** Sends a request that must succeed. */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${this.address}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      ...content,
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** What it said so far. */
  get log() {
    return this.said;
  }

  /** A git repository with these files. */
  repository(name: string, files: Record<string, string>): string {
    const folder = join(this.folder, name);
    for (const [path, text] of Object.entries(files)) this.write(join(name, path), text);
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=A developer", "-c", "user.email=developer@example.com", ...words], {
        cwd: folder,
        stdio: "pipe",
      });
    git("init", "--quiet", "--initial-branch", "main");
    git("add", "--all");
    git("commit", "--quiet", "--message", "Friday afternoon");
    return folder;
  }

  async stop() {
    const server = this.process;
    if (server?.exitCode === null) {
      server.removeAllListeners("exit");
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A web site of one page, which can be another one at any time. */
export class Site {
  page = "";
  private readonly server: Server = createServer((request, response) => {
    const isPage = request.url === "/lamp";
    response.writeHead(isPage ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" }).end(isPage ? this.page : "");
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the site has no address");
    return `http://127.0.0.1:${address.port}/lamp`;
  }

  stop() {
    this.server.close();
    this.server.closeAllConnections();
  }
}
