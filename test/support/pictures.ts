import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';

const FOLDER = fileURLToPath(new URL('../../docs/console/', import.meta.url));
const MADE_WITH = join(FOLDER, 'made-with.json');
/** Where a picture that differs is put, beside what differs in it. */
const DIFFERENT = join(tmpdir(), 'sluice-pictures');
/** Pixels that may differ, as a share: less than a button. */
const TOLERATED = 0.002;

/** Whether this run makes the pictures, in the place of comparing with them. */
const making = process.env.MAKE_PICTURES === '1';

type Maker = { chromium: string; font_px: number };

/** What draws here: another browser, or other fonts, draw other pictures. */
export async function makerOf(page: Page): Promise<Maker> {
  const font_px = await page.evaluate<number>(`(() => {
    const context = document.createElement('canvas').getContext('2d');
    context.font = '14px system-ui';
    return context.measureText('Sluice 0123456789 structure').width;
  })()`);
  return { chromium: page.context().browser()?.version().split('.')[0] ?? '', font_px: Number(font_px.toFixed(2)) };
}

/** Why the pictures of the folder cannot be compared with what is drawn here, or null. */
export function incomparable(here: Maker): string | null {
  if (making) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(MADE_WITH, `${JSON.stringify(here, null, 2)}\n`);
    return null;
  }
  const there = JSON.parse(readFileSync(MADE_WITH, 'utf8')) as Maker;
  if (there.chromium === here.chromium && there.font_px === here.font_px) return null;
  return `skipped: the pictures were made by ${JSON.stringify(there)}, this machine draws by ${JSON.stringify(here)}`;
}

/** The page when it is at rest, without what differs from run to run: identifiers, and the minutes of the day. */
export async function pictureOf(page: Page): Promise<Buffer> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  await page.evaluate(`document.fonts.ready.then(() => {
    document.activeElement?.blur();
    for (const id of document.querySelectorAll('.id')) id.textContent = id.textContent.replace(/_[0-9a-z]{26}\\b/, '_01k9example');
    for (const time of document.querySelectorAll('time[datetime*=T]')) time.textContent = 'Nov 16, 2026, 3:00 PM UTC';
  })`);
  return await page.screenshot({ animations: 'disabled', caret: 'hide' });
}

/** Makes the picture, or compares with it; what differs is shown in a file beside. */
export function comparePicture(name: string, taken: Buffer): void {
  const file = join(FOLDER, `${name}.png`);
  if (making) return writeFileSync(file, taken);
  assert.ok(existsSync(file), `${name}: there is no picture; MAKE_PICTURES=1 npm test -- pictures makes it`);
  const [there, here] = [PNG.sync.read(readFileSync(file)), PNG.sync.read(taken)];
  assert.deepEqual([here.width, here.height], [there.width, there.height], name);
  const difference = new PNG({ width: here.width, height: here.height });
  const pixels = pixelmatch(there.data, here.data, difference.data, here.width, here.height, { threshold: 0.1 });
  const share = pixels / (here.width * here.height);
  if (share <= TOLERATED) return;
  mkdirSync(DIFFERENT, { recursive: true });
  writeFileSync(join(DIFFERENT, `${name}.png`), taken);
  writeFileSync(join(DIFFERENT, `${name}-difference.png`), PNG.sync.write(difference));
  assert.fail(
    `${name}: ${(share * 100).toFixed(2)} % of the picture differ, see ${DIFFERENT}; MAKE_PICTURES=1 npm test -- pictures takes it as it is`,
  );
}
