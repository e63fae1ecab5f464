/** Delays what would move the page under a pointer that is pressed: the click would miss its button. */

let isPressed = false;
const waiting = new Set<() => void>();

function release() {
  isPressed = false;
  // The click comes after the release.
  setTimeout(() => {
    for (const act of waiting) act();
    waiting.clear();
  });
}

window.addEventListener("pointerdown", () => (isPressed = true), { capture: true });
window.addEventListener("pointerup", release, { capture: true });
window.addEventListener("pointercancel", release, { capture: true });

/** Acts now, or after the click if a pointer is pressed. */
export function afterClick(act: () => void): void {
  if (isPressed) waiting.add(act);
  else act();
}
