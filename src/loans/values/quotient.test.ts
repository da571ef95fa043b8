import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import fc from 'fast-check';
import { openEngine } from '../engine/engine.ts';
import { divided, shownMicro } from './quotient.ts';

/** Half-even by the definition: the nearer whole number, of two equally near ones the even one. */
function expected(n: bigint, d: bigint): bigint | null {
  if (d === 0n) return null;
  const [top, bottom] = [n < 0n ? -n : n, d < 0n ? -d : d];
  const low = top / bottom;
  const gap = 2n * (top - low * bottom) - bottom;
  const size = gap > 0n || (gap === 0n && low % 2n === 1n) ? low + 1n : low;
  return n < 0n !== d < 0n ? -size : size;
}

const most = 10n ** 36n;
/** Of all widths, and just about where 64 bits end. */
const part = fc.oneof(
  fc.bigInt({ min: -1000n, max: 1000n }),
  fc.bigInt({ min: -most, max: most }),
  fc.bigInt({ min: 9_000_000_000_000_000_000n - 3n, max: 9_000_000_000_000_000_000n + 3n }),
);
const half = fc
  .tuple(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.bigInt({ min: 1n, max: 10n ** 17n }))
  .map(([q, d]) => [(2n * q + 1n) * d, 2n * d] as [bigint, bigint]);

test('quotients of whole numbers of any width are rounded half-even, exactly', async () => {
  await using engine = await openEngine({ workDir: tmpdir(), allowedDirectories: [] });
  const pairs = fc.sample(fc.oneof(fc.tuple(part, part), half), 4_000);
  const rows = pairs.map(([n, d], place) => `(${place}, ${n}::HUGEINT, ${d}::HUGEINT)`).join(', ');
  const found = await engine.rows<{ q: string | null }>(
    `SELECT CAST(${divided('n', 'd')} AS VARCHAR) AS q FROM (VALUES ${rows}) pairs(place, n, d) ORDER BY place`,
  );
  for (const [place, [n, d]] of pairs.entries())
    assert.equal(found[place]?.q ?? null, expected(n, d)?.toString() ?? null, `${n} / ${d}`);
});

test('whole millionths are shown with six places, whatever their width', async () => {
  await using engine = await openEngine({ workDir: tmpdir(), allowedDirectories: [] });
  const edges = [0n, -1n, 10n ** 18n, 10n ** 18n - 1n, -(10n ** 18n), 1n - 10n ** 18n];
  const micros = [
    ...edges,
    ...fc.sample(fc.bigInt({ min: -(10n ** 31n), max: 10n ** 31n }), 500),
    ...fc.sample(part, 500),
  ].filter((micro) => micro < 10n ** 31n && micro > -(10n ** 31n));
  const rows = micros.map((micro, place) => `(${place}, ${micro}::HUGEINT)`).join(', ');
  const found = await engine.rows<{ shown: string }>(
    `SELECT ${shownMicro('m')} AS shown FROM (VALUES ${rows}) micros(place, m) ORDER BY place`,
  );
  for (const [place, micro] of micros.entries()) {
    const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0');
    assert.equal(found[place]?.shown, `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`, String(micro));
  }
});
