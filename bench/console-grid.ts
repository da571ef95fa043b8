// The grid of loans over a long tape in a real browser: frames per second while it is scrolled by the wheel and by its scrollbar.
// npm run bench -- console-grid [rows] [seconds]
import { Readable } from 'node:stream';
import type { Page } from 'playwright-core';
import { generateTape } from '../src/loans/generate/generate-tape.ts';
import { openConsole, withoutBrowser } from '../test/support/console.ts';
import { signedIn } from '../test/support/people.ts';
import { seller } from '../test/support/tapes.ts';
import { until } from '../test/support/until.ts';

const ROWS = 1_000_000;
const SECONDS = 6;
const LIMIT_FPS = 55;
const CHECKED_WITHIN_MS = 900_000;
const [WHEEL_PIXELS, WHEEL_EVERY_MS, DRAG_STEPS_A_SECOND] = [120, 16, 60];

type Frames = { fps: number; slowest_ms: number };

export async function run(args: string[]): Promise<void> {
  const rows = Number(args[0] ?? ROWS);
  const seconds = Number(args[1] ?? SECONDS);
  if (withoutBrowser) throw new Error(withoutBrowser);
  await using opened = await openConsole({ scrollbars: true });
  const ours = await seller(opened.gateway, 'Bench');
  const deal = await upload(ours, rows);
  const person = await signedIn(opened.gateway, ours.as.organization_id, 'ann@bench.example', ['VIEW']);
  await using visited = await opened.enter(person, `/deals/${deal}/loans`);
  const { page } = visited;
  await page.getByText(`${rows.toLocaleString('en-US')} loans`).waitFor();
  await page.locator('#cell-0-0 a').waitFor();
  const idle = await frames(page, seconds, async (end) => await page.waitForTimeout(end - performance.now()));
  const wheel = await frames(page, seconds, (end) => turnWheel(page, end));
  const drag = await frames(page, seconds, (end) => dragBar(page, end));
  const settled = performance.now();
  await page.locator('.grid-row a').first().waitFor();
  const ms = Math.round(performance.now() - settled);
  console.table({ idle, wheel, drag });
  const slowest = Math.min(wheel.fps, drag.fps);
  console.log(
    JSON.stringify({
      bench: 'console-grid',
      rows,
      ratio: Number((LIMIT_FPS / slowest).toFixed(3)),
      limit: 1,
      wheel_fps: wheel.fps,
      drag_fps: drag.fps,
      idle_fps: idle.fps,
      slowest_frame_ms: Math.max(wheel.slowest_ms, drag.slowest_ms),
      rows_after_drag_ms: ms,
    }),
  );
}

async function upload(ours: Awaited<ReturnType<typeof seller>>, rows: number): Promise<string> {
  const { data } = (await ours.initiate()).body;
  const body = Readable.toWeb(Readable.from(generateTape({ type: 'Auto', rows, seed: 7 }).csv())) as ReadableStream;
  const sent = await fetch(data.upload_url, { method: 'PUT', headers: data.upload_headers, body, duplex: 'half' });
  if (!sent.ok) throw new Error(`the tape was refused: ${await sent.text()}`);
  await ours.complete(data.deal_id);
  const state = async (): Promise<string> => (await ours.deal(data.deal_id)).qc?.state;
  await until(async () => (await state()) === 'DONE', CHECKED_WITHIN_MS, 'the checks');
  return data.deal_id;
}

/** Frames that the browser drew while something was done until a time. */
async function frames(page: Page, seconds: number, work: (end: number) => Promise<void>): Promise<Frames> {
  await page.evaluate(`globalThis.frames = []; globalThis.counting = true;
    (function count(at) { globalThis.frames.push(at); if (globalThis.counting) requestAnimationFrame(count); })(performance.now())`);
  await work(performance.now() + seconds * 1_000);
  const times = await page.evaluate<number[]>('globalThis.counting = false, globalThis.frames.slice(1)');
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  const whole = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return { fps: Number(((gaps.length * 1_000) / whole).toFixed(1)), slowest_ms: Math.round(Math.max(...gaps)) };
}

async function turnWheel(page: Page, end: number): Promise<void> {
  await page.getByRole('grid', { name: 'Loans' }).hover();
  while (performance.now() < end) {
    const began = performance.now();
    await page.mouse.wheel(0, WHEEL_PIXELS);
    await page.waitForTimeout(Math.max(0, WHEEL_EVERY_MS - (performance.now() - began)));
  }
}

/** Takes the scrollbar at its top and pulls it down the whole list. */
async function dragBar(page: Page, end: number): Promise<void> {
  const grid = page.getByRole('grid', { name: 'Loans' });
  await grid.evaluate((element) => element.scrollTo({ top: 0 }));
  const box = await grid.boundingBox();
  if (!box) throw new Error('the grid is not on the page');
  const [x, top, way] = [box.x + box.width - 8, box.y + 24, box.height - 64];
  await page.mouse.move(x, top);
  await page.mouse.down();
  const [began, all] = [performance.now(), end - performance.now()];
  while (performance.now() < end) {
    await page.mouse.move(x, top + (way * (performance.now() - began)) / all);
    await page.waitForTimeout(1_000 / DRAG_STEPS_A_SECOND);
  }
  await page.mouse.up();
  const moved = await grid.evaluate((element) => element.scrollTop);
  if (moved === 0) throw new Error('the scrollbar was not dragged');
}
