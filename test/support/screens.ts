import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The last is a window of 1,280 pixels that is magnified to 400 %. */
const WIDTHS = [1440, 768, 390, 320];
/** Whatever stands on a page at some width is visible at one of these: axe takes most of the time. */
const WIDTHS_OF_AXE: readonly number[] = [1440, 390];
const SCHEMES = ['light', 'dark'] as const;
const LARGEST_SHIFT = 0.02;

/** The rules whose answer depends on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds on the page by its rules, or by some of them, one line for each element. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  return await page.evaluate(`axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html.slice(0, 160))))`);
}

/** What is wrong with a page: findings of axe in both colour schemes; at every width, content that is wider than the window, and controls out of reach. */
export async function lookAtScreen(page: Page): Promise<string[]> {
  const wrong: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of WIDTHS_OF_AXE.includes(width) ? SCHEMES : []) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const findings = await axeFindings(page, colorScheme === 'dark' ? OF_COLOURS : undefined);
      wrong.push(...findings.map((finding) => `${width} ${colorScheme}: ${finding}`));
    }
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) wrong.push(`${width}: ${over} pixels wider than the window`);
    wrong.push(...(await outOfReach(page)).map((control) => `${width}: out of reach: ${control}`));
  }
  const small = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((element) => parseFloat(getComputedStyle(element).fontSize) < 12)
    .map((element) => 'smaller than 12 px: ' + element.outerHTML.slice(0, 120))`);
  return [...wrong, ...small];
}

/** Controls that are right of the window, or cut off by what they stand in, where nothing scrolls to them; once nothing moves, as a notice that leaves does. */
const outOfReach = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(async () => {
    const moving = () => document.getAnimations().filter((each) => each instanceof CSSTransition);
    while (moving().length > 0) await Promise.allSettled(moving().map(({ finished }) => finished));
    return [...document.querySelectorAll('a, button, select, textarea, input, .mantine-SegmentedControl-label')]
    .filter((control) => {
      if (!control.checkVisibility({ visibilityProperty: true })) return false;
      const { right, width } = control.getBoundingClientRect();
      if (width < 2 || right <= 0) return false;
      let end = innerWidth;
      for (let at = control.parentElement; at && at !== document.body; at = at.parentElement) {
        const { overflowX } = getComputedStyle(at);
        if (overflowX === 'auto' || overflowX === 'scroll') return false;
        if (overflowX !== 'visible') end = Math.min(end, at.getBoundingClientRect().right);
      }
      return right > end + 1;
    })
    .map((control) => control.outerHTML.slice(0, 120));
  })()`);

/** Starts to count how far content moves while it is read, and what moved. */
export const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(`globalThis.shift = 0; globalThis.shifted = []; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
      globalThis.shift += entry.value;
      for (const { node, previousRect, currentRect } of entry.sources)
        globalThis.shifted.push((node?.className || node?.nodeName) + ' from ' + previousRect.y + ' to ' + currentRect.y);
    }
  }).observe({ type: 'layout-shift', buffered: true })`);

export const tooMuchShift = async (page: Page): Promise<string | null> => {
  const [shift, shifted] = await page.evaluate<[number, string[]]>('[globalThis.shift, globalThis.shifted]');
  return shift > LARGEST_SHIFT ? `${shift}: ${shifted.join('; ')}` : null;
};
