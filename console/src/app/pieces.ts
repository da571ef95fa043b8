/** Evaluates the pieces that the page names, one after the other; the browser draws and answers in between. */
async function evaluatePieces(): Promise<void> {
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[data-piece]')) {
    await import(/* @vite-ignore */ href);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

evaluatePieces().catch((error: unknown) => {
  const opening = document.getElementById('opening');
  opening?.setAttribute('role', 'alert');
  opening?.replaceChildren('The console could not be loaded. Check the network, then load the page again.');
  throw error;
});
