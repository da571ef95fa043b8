import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import fc from 'fast-check';
import { openEngine } from '../engine/engine.ts';
import { productSql, ratioSql, shownMicro } from './quotient.ts';

/** Half-even by the definition: the nearer whole number, of two equally near ones the even one. */
function expected(n: bigint, d: bigint): bigint | null {
  if (d === 0n) return null;
  const [top, bottom] = [n < 0n ? -n : n, d < 0n ? -d : d];
  const low = top / bottom;
  const gap = 2n * (top - low * bottom) - bottom;
  const size = gap > 0n || (gap === 0n && low % 2n === 1n) ? low + 1n : low;
  return n < 0n !== d < 0n ? -size : size;
}

/** Millionths of all widths, and just about where a step of 64 bits ends. */
const micro = fc.oneof(
  fc.bigInt({ min: -1000n, max: 1000n }),
  fc.bigInt({ min: -(10n ** 11n), max: 10n ** 11n }),
  fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
  fc.bigInt({ min: 10n ** 14n - 3n, max: 10n ** 14n + 3n }),
  fc.bigInt({ min: -(10n ** 14n) - 3n, max: 3n - 10n ** 14n }),
);
/** Factors in millionths: such as two steps make, primes, the smallest and the largest. */
const FACTORS = [1n, 7n, 1_000_000n, 1_200_000n, 100_000_000n, 12_000_000n, 999_983n * 3n, 1_000_003n, 10n ** 12n];
/** A numerator that makes a tie, of any width. */
const tie = fc.tuple(fc.bigInt({ min: -(10n ** 8n), max: 10n ** 8n }), fc.bigInt({ min: 1n, max: 10n ** 9n }));
const decimal = (whole: bigint): string => `CAST(${whole}::DECIMAL(38,0) * CAST(0.000001 AS DECIMAL(7,6)) AS DECIMAL(38,6))`;

test('ratios and products of numbers of any width are rounded half-even, exactly', async () => {
  await using engine = await openEngine({ workDir: tmpdir(), allowedDirectories: [] });
  for (const factor of FACTORS) {
    const ties = fc.sample(tie, 100).map(([q, d]): [bigint, bigint] => [(2n * q + 1n) * d, 2n * d * factor]);
    const pairs = [...fc.sample(fc.tuple(micro, micro), 400), ...ties.filter(([, d]) => d < 10n ** 20n)];
    const rows = pairs.map(([n, d], place) => `(${place}, ${decimal(n)}, ${decimal(d)})`).join(', ');
    for (const few of [false, true]) {
      const found = await engine.rows<{ ratio: string | null; product: string | null }>(
        `SELECT CAST(${ratioSql('n', 'd', factor, { few })} AS VARCHAR) AS ratio, CAST(${productSql('n', factor, { few })} AS VARCHAR) AS product
         FROM (VALUES ${rows}) pairs(place, n, d) ORDER BY place`,
      );
      for (const [place, [n, d]] of pairs.entries()) {
        assert.equal(found[place]?.ratio ?? null, expected(n * factor, d)?.toString() ?? null, `${n} × ${factor} / ${d}`);
        assert.equal(found[place]?.product, expected(n * factor, 1_000_000n)?.toString(), `${n} × ${factor}`);
      }
    }
  }
});

test('a ratio of something missing is missing', async () => {
  await using engine = await openEngine({ workDir: tmpdir(), allowedDirectories: [] });
  const rows = '(1.5, NULL), (NULL, 1.5), (NULL, NULL), (1.5, 0), (0, 0)';
  const found = await engine.rows(`SELECT ${ratioSql('n', 'd', 1_000_000n)} AS ratio FROM (VALUES ${rows}) pairs(n, d)`);
  assert.deepEqual(found, Array(5).fill({ ratio: null }));
});

test('whole millionths are shown with six places, whatever their width', async () => {
  await using engine = await openEngine({ workDir: tmpdir(), allowedDirectories: [] });
  const edges = [0n, -1n, 10n ** 18n, 10n ** 18n - 1n, -(10n ** 18n), 1n - 10n ** 18n];
  const micros = [
    ...edges,
    ...fc.sample(fc.bigInt({ min: -(10n ** 31n), max: 10n ** 31n }), 500),
    ...fc.sample(micro, 500),
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
