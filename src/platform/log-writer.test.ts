import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, type write } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { createLogWriter } from './log-writer.ts';

type Step = string | number;

/** A disk that ends each write as the next step says: a code fails it, a number takes so many bytes; without a step it takes all. */
function disk(steps: Step[]) {
  const state = { text: '', steps };
  const writeTo = ((
    _fd: number,
    buffer: Buffer,
    offset: number,
    length: number,
    _at: null,
    done: (...result: unknown[]) => void,
  ) => {
    const step = state.steps.shift() ?? length;
    if (typeof step === 'string') return void setImmediate(done, Object.assign(new Error(step), { code: step }), 0, buffer);
    const taken = Math.min(step, length);
    state.text += buffer.toString('utf8', offset, offset + taken);
    setImmediate(done, null, taken, buffer);
  }) as unknown as typeof write;
  return { state, writeTo };
}

async function writtenLines(steps: Step[], lines: number): Promise<{ lines: string[]; dropped: number }> {
  const { state, writeTo } = disk(steps);
  let dropped = 0;
  let recovered: () => void = () => {};
  const writer = createLogWriter({ fd: 2, write: writeTo, retryMs: 5, onDropped: (count) => (dropped += count) });
  for (let line = 1; line <= lines; line += 1) {
    writer.write(`{"line":${line}}\n`);
    await writer.flush();
  }
  const over = new Promise<void>((resolve) => (recovered = resolve));
  // The writer's own timers do not keep the process: this one does, until the steps are used up.
  const timer = setInterval(
    () => state.steps.length === 0 && (dropped === 0 || state.text.includes('dropped')) && recovered(),
    5,
  );
  await over;
  clearInterval(timer);
  await writer.flush();
  return { lines: state.text.split('\n').filter(Boolean), dropped };
}

test('a disk that is full loses lines, counts them, and one warning says how many when it works again', async () => {
  const { lines, dropped } = await writtenLines([8_192, 'ENOSPC', 'ENOSPC', 'ENOSPC'], 5);
  assert.equal(dropped, 4);
  assert.equal(lines[0], '{"line":1}');
  const warnings = lines.slice(1).map((line) => JSON.parse(line) as { level: number; dropped: number; msg: string });
  assert.deepEqual(
    warnings.map(({ level, dropped: count, msg }) => [level, count, msg]),
    [[40, 4, 'log lines were dropped: ENOSPC']],
  );
});

test('a line that was cut by the end of the disk is not continued by the next one', async () => {
  const { lines, dropped } = await writtenLines([4, 'ENOSPC'], 1);
  assert.equal(dropped, 1);
  assert.equal(lines[0], '{"li');
  assert.match(lines[1] ?? '', /^\{"level":40,.*"dropped":1,/);
});

test('a disk that fills up at the end of a line, and again within a warning, loses no count and makes no empty line', async () => {
  const { lines, dropped } = await writtenLines([11, 'ENOSPC', 20, 'ENOSPC', 11, 'EIO'], 3);
  assert.equal(dropped, 2);
  assert.deepEqual(lines.slice(0, 1), ['{"line":1}']);
  const whole = lines.filter((line) => line.endsWith('}')).slice(1);
  assert.deepEqual(
    whole.map((line) => (JSON.parse(line) as { dropped: number; msg: string }).dropped),
    [2],
  );
});

test('a reader that is only slow loses nothing', async () => {
  const { lines, dropped } = await writtenLines(['EAGAIN', 3, 'EAGAIN', 'EBUSY', 2], 3);
  assert.deepEqual([dropped, lines], [0, ['{"line":1}', '{"line":2}', '{"line":3}']]);
});

test('lines beyond what may wait are dropped and counted, those before them are written whole and in order', async () => {
  const { state, writeTo } = disk(['EAGAIN']);
  let dropped = 0;
  const writer = createLogWriter({ fd: 2, write: writeTo, onDropped: (count) => (dropped += count) });
  const line = (index: number) => `${JSON.stringify({ index, filler: 'é'.repeat(1_000) })}\n`;
  for (let index = 0; index < 10_000; index += 1) writer.write(line(index));
  await writer.flush();
  const lines = state.text
    .split('\n')
    .filter(Boolean)
    .map((each) => JSON.parse(each) as { index?: number; dropped?: number });
  const written = lines.flatMap(({ index }) => (index === undefined ? [] : [index]));
  assert.ok(dropped > 1_000 && written.length + dropped === 10_000, String(dropped));
  assert.deepEqual(written, [...written.keys()]);
  assert.equal(
    lines.reduce((sum, each) => sum + (each.dropped ?? 0), 0),
    dropped,
  );
});

test('the log of a process is written as it is, and whole at its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  const fd = openSync(join(folder, 'log'), 'a');
  try {
    const writer = createLogWriter({ fd, onDropped: () => assert.fail('nothing is dropped') });
    const log = pino({ base: null, timestamp: false }, writer);
    for (let index = 0; index < 2_000; index += 1) log.info({ index }, 'é');
    await writer.flush();
    const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
    assert.deepEqual([lines.length, lines[1_999]], [2_000, '{"level":30,"index":1999,"msg":"é"}']);
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
});
