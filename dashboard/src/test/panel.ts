/** The panel of a title. Found by its heading: asking for roles computes styles of the whole page, a hundred times over. */
export function panel(title: string): HTMLElement {
  const heading = [...document.querySelectorAll("h2")].find(({ textContent }) => textContent === title);
  const section = heading?.closest("section");
  if (!section) throw new Error(`there is no panel ${title}`);
  return section;
}
