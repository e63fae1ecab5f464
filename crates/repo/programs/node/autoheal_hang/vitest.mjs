// Runs in every process of vitest's tests, before each file of them: each test gets its limit (hang.cjs). Where that is not possible, tests that
// hang are left to the time limit of the suite.
try {
  const { createRequire } = await import('node:module');
  const { limited } = createRequire(import.meta.url)('./hang.cjs');
  const folder = process.env.AUTOHEAL_VITEST;
  const { beforeEach } = await import(/* @vite-ignore */ `${folder}/dist/index.js`);
  const { getFn, setFn } = await import(/* @vite-ignore */ `${folder}/dist/suite.js`);
  beforeEach(({ task }) => {
    setFn(task, limited(getFn(task)));
  });
} catch {
  // A vitest, or an environment, that is not known here.
}
