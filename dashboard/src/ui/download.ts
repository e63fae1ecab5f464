/** Saves a text that the page made as a file. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  // Names come from outside, and may contain anything.
  link.download = name.replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "");
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
