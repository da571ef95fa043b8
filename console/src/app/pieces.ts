/** Lets the browser draw and answer before the next piece of work. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Evaluates the pieces that the page names, one after the other, with a pause in between. */
async function evaluatePieces(): Promise<void> {
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[data-piece]')) {
    await import(/* @vite-ignore */ href);
    await pause();
  }
}

evaluatePieces().catch((error: unknown) => {
  const opening = document.getElementById('opening');
  opening?.setAttribute('role', 'alert');
  opening?.replaceChildren('The console could not be loaded. Check the network, then load the page again.');
  throw error;
});
