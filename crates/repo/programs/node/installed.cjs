// Prints the packages of folders as JSON: names, versions, and what each requires.
// `node installed.cjs FOLDER...`: folders with a folder `node_modules`, the nearest first.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const MOST = 20000;

const found = new Map();
const seen = new Set();

const entries = (folder) => {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
};

const manifestOf = (folder) => {
  try {
    const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    return typeof manifest.name === "string" && typeof manifest.version === "string" ? manifest : undefined;
  } catch {
    return undefined;
  }
};

const namesIn = (section) => (section && typeof section === "object" ? Object.keys(section) : []);

// The copies that programs of the project load come before those of its packages alone.
const folders = process.argv.slice(2).map((folder) => path.join(folder, "node_modules"));
while (folders.length > 0 && seen.size < MOST) {
  const modules = folders.shift();
  const names = entries(modules).filter((name) => !name.startsWith("."));
  const scoped = (name) => entries(path.join(modules, name)).map((inner) => `${name}/${inner}`);
  for (const name of names.flatMap((name) => (name.startsWith("@") ? scoped(name) : [name]))) {
    let folder;
    try {
      folder = fs.realpathSync(path.join(modules, name));
    } catch {
      continue;
    }
    const manifest = seen.has(folder) ? undefined : manifestOf(folder);
    seen.add(folder);
    if (manifest === undefined) continue;
    // Packages of the repository are links to its own folders.
    const isProject = !folder.split(path.sep).includes("node_modules");
    if (!found.has(name)) {
      const requires = ["dependencies", "optionalDependencies", "peerDependencies"];
      found.set(name, {
        name,
        version: manifest.version,
        modules: [name],
        requires: [...new Set(requires.flatMap((section) => namesIn(manifest[section])))],
        requirements: [],
        is_project: isProject,
      });
    }
    if (!isProject) folders.push(path.join(folder, "node_modules"));
  }
  // pnpm keeps every package here, and links to those that the project names.
  folders.push(...entries(path.join(modules, ".pnpm")).map((name) => path.join(modules, ".pnpm", name, "node_modules")));
}
const sorted = [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
process.stdout.write(JSON.stringify(sorted));
