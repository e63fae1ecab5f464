// The chosen theme, set before the first paint. What is stored is written by src/store/theme.ts.
try {
  const theme = JSON.parse(localStorage.getItem("autoheal-theme") ?? "null")?.state?.theme;
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Nothing is stored, or storage is forbidden: the system's theme holds.
}
