import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { evaluate, openBench } from '../testing/evaluate.ts';
import { isLong, isMarked, isRange, looksPlain, type NumberReading, numberSql, PLAIN_NUMBER } from './number.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

async function read(texts: readonly string[], reading: Partial<NumberReading> = {}): Promise<(string | null)[]> {
  return await evaluate(bench.engine, numberSql('t', { ...PLAIN_NUMBER, ...reading }), texts);
}

async function truths(condition: string, texts: readonly string[]): Promise<(string | null)[]> {
  return await evaluate(bench.engine, condition, texts);
}

/** `whole.fraction` times a whole scale, rounded half-even to six places in integers of any size. */
function expected(negative: boolean, whole: string, fraction: string, scale: bigint): string {
  const digits = BigInt(whole + fraction) * scale;
  const unit = 10n ** BigInt(Math.max(0, fraction.length - 6));
  const shifted = fraction.length < 6 ? digits * 10n ** BigInt(6 - fraction.length) : digits;
  const twice = 2n * (shifted % unit);
  const even = shifted / unit;
  const millionths = twice > unit || (twice === unit && even % 2n === 1n) ? even + 1n : even;
  const text = String(millionths).padStart(7, '0');
  return `${negative && millionths > 0n ? '-' : ''}${text.slice(0, -6)}.${text.slice(-6)}`;
}

const digits = (from: number, to: number) => fc.stringMatching(new RegExp(`^[0-9]{${from},${to}}$`));
const decimals = fc.record({ negative: fc.boolean(), whole: digits(1, 9), fraction: digits(0, 24) });

for (const scale of [1, 12, 100, 1000]) {
  test(`any decimal times ${scale} is rounded half-even to six places, as integers of any size round it`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(decimals, { minLength: 20, maxLength: 20 }), async (values) => {
        const texts = values.map(({ negative, whole, fraction }) => `${negative ? '-' : ''}${whole}.${fraction}`);
        assert.deepEqual(
          await read(texts, { scale }),
          values.map(({ negative, whole, fraction }) => expected(negative, whole, fraction, BigInt(scale))),
        );
      }),
      { numRuns: 15 },
    );
  });
}

test('ties go to the even millionth on both sides of zero, after the scale', async () => {
  const cases: [string, number, string][] = [
    ['0.0000005', 1, '0.000000'],
    ['0.0000015', 1, '0.000002'],
    ['-0.0000015', 1, '-0.000002'],
    ['-0.0000025', 1, '-0.000002'],
    ['0.000000005', 100, '0.000000'],
    ['0.000000015', 100, '0.000002'],
    ['0.0000025000000000000001', 1, '0.000003'],
    ['0.00000250000000000000000000000000000001', 1, '0.000003'],
  ];
  for (const [text, scale, value] of cases) assert.deepEqual(await read([text], { scale }), [value], text);
});

test('amounts in cents, and other scales that are no whole number, are exact', async () => {
  assert.deepEqual(await read(['1250', '3', '1', '0.5', '-7'], { scale: 0.01 }), [
    '12.500000',
    '0.030000',
    '0.010000',
    '0.005000',
    '-0.070000',
  ]);
  assert.deepEqual(await read(['3', '1'], { scale: 0.0000005 }), ['0.000002', '0.000000']);
});

test('the largest amount of the column is read, the next one up is not, and never another number', async () => {
  assert.deepEqual(await read(['999999999999', '999999999999.999999', '1000000000000', '-999999999999', '1e12']), [
    '999999999999.000000',
    '999999999999.999999',
    null,
    '-999999999999.000000',
    null,
  ]);
  assert.deepEqual(await read(['999999999', '1000000000', '$1,000,000,000'], { scale: 1000 }), [
    '999999999000.000000',
    null,
    null,
  ]);
});

test('money is read with its currency, signs and groups in any usual order', async () => {
  const cases: [string, string | null][] = [
    ['$1,234,567.5', '1234567.500000'],
    ['US$ 5', '5.000000'],
    ['NT$20,000', '20000.000000'],
    ['£7', '7.000000'],
    ['eur 7', '7.000000'],
    ['5 USD', '5.000000'],
    ['5 czk', '5.000000'],
    ['5 €', '5.000000'],
    ['$-5', '-5.000000'],
    ['- $5', '-5.000000'],
    ['+5', '5.000000'],
    ['( 5.25 )', '-5.250000'],
    ['5.25 -', '-5.250000'],
    ['1 234 567', '1234567.000000'],
    ['1\u00a0234', '1234.000000'],
    ['\u00a05\u00a0', '5.000000'],
    ['\ufeff5', '5.000000'],
    ['\t5\t', '5.000000'],
    ['5.', '5.000000'],
    ['$.5', '0.500000'],
    ['1,23', null],
    ['1,2345', null],
    ['12,34,567', '1234567.000000'],
    ['1,23,45,678.90', '12345678.900000'],
    ['123,45,678', null],
    ["1'234'567.50", '1234567.500000'],
    ['1’234.5', '1234.500000'],
    ['1\u202f234.5', '1234.500000'],
    ['1\u2009234', '1234.000000'],
    ['CHF 5', '5.000000'],
    ['C$5', '5.000000'],
    ['₹ 12,34,567', '1234567.000000'],
    ['5 £', '5.000000'],
    ['25,000,000円', '25000000.000000'],
    ['R$ 5', '5.000000'],
    ['1,234.50 TL', '1234.500000'],
    ['1 234 Kč', '1234.000000'],
    ['₫5', '5.000000'],
    ['1234,567', null],
    [',5', null],
    ['1.2.3', null],
    ['(5', null],
    ['5)', null],
    ['(-5)', null],
    ['-5-', null],
    ['$$5', null],
    ['5 5', null],
    ['5 JPY', '5.000000'],
    ['5 XYZ', null],
    ['USD', null],
    ['$', null],
    ['+', null],
    ['e5', null],
    ['1e', null],
    ['1_000', null],
    ['5%', null],
    ['½', null],
    ['٣', null],
  ];
  const values = await read(cases.map(([text]) => text));
  cases.forEach(([text, value], index) => assert.equal(values[index], value, JSON.stringify(text)));
});

test('a decimal comma makes points and blanks groups of thousands', async () => {
  const cases: [string, string | null][] = [
    ['1.234.567,89', '1234567.890000'],
    ['1 234,5', '1234.500000'],
    ['1.234', '1234.000000'],
    ['12,5', '12.500000'],
    ['-12,5', '-12.500000'],
    ['(12,5)', '-12.500000'],
    ['€ 12,50', '12.500000'],
    ['12,50 €', '12.500000'],
    ['12,', '12.000000'],
    ['1.23', null],
    ['1,234.5', null],
    ['1,2,3', null],
    [',5', null],
  ];
  const values = await read(
    cases.map(([text]) => text),
    { european: true },
  );
  cases.forEach(([text, value], index) => assert.equal(values[index], value, text));
});

test('the marks of a spreadsheet and full-width characters are no part of a number', async () => {
  const cases: [string, string | null][] = [
    ['="123"', '123.000000'],
    ['="$1,234.50"', '1234.500000'],
    ["'123", '123.000000'],
    ['１，２３４．５０', '1234.500000'],
    ['＄５', '5.000000'],
    ['（５）', '-5.000000'],
    ['=123', null],
    ['="123', null],
    ['="12a"', null],
  ];
  const texts = cases.map(([text]) => text);
  const values = await read(texts, { marked: true });
  cases.forEach(([text, value], index) => assert.equal(values[index], value, text));
  assert.deepEqual(await truths(isMarked('t'), texts), [...Array<string>(9).fill('true')]);
  assert.deepEqual(await truths(isMarked('t'), ['5', '$1,234.50', 'a="b"', "it's"]), Array<string>(4).fill('false'));
});

test('a value with a % sign is in percent whatever the factor of the plain ones', async () => {
  const texts = ['12.5%', '12.5 %', '(1.5%)', '-1.5%', '$5%', '1,250%', '0.125', '%', '5%%', '5%5'];
  const values = ['12.500000', '12.500000', '-1.500000', '-1.500000', '5.000000', '1250.000000', '12.500000', null, null, null];
  assert.deepEqual(await read(texts, { percent: true, scale: 100 }), values);
  assert.deepEqual(await read(['12,5%', '0,125'], { percent: true, european: true, scale: 100 }), ['12.500000', '12.500000']);
});

test('a count with its unit is converted into the unit of the field, and one of another unit is no number', async () => {
  const texts = [
    '36 months',
    '36mos.',
    '36 Mths',
    '1 mnth',
    '3 years',
    '2.5 yrs',
    '10 days',
    '1 day',
    '12',
    'months',
    '3 weeks',
    '-3 months',
  ];
  const tests: [NumberReading['unit'], (string | null)[]][] = [
    ['months', ['36', '36', '36', '1', '36', '30', null, null, '12', null, null, '-3']],
    ['years', [null, null, null, null, '3', '2.5', null, null, '12', null, null, null]],
    ['days', [null, null, null, null, null, null, '10', '1', '12', null, null, null]],
    [null, [null, null, null, null, null, null, null, null, '12', null, null, null]],
  ];
  for (const [unit, values] of tests) {
    const seen = await read(texts, { unit });
    assert.deepEqual(
      seen.map((value) => (value === null ? null : String(Number(value)))),
      values,
      String(unit),
    );
  }
});

test('less than a year counts as no year, and a plus counts as the number before it, in years only', async () => {
  const texts = ['< 1 year', '<1', '< 1 yr', '10+', '10 +', '10+ years', '< 2 years', '+10 years'];
  assert.deepEqual(await read(texts, { unit: 'years' }), [
    ...Array<string>(3).fill('0.000000'),
    ...Array<string>(3).fill('10.000000'),
    null,
    null,
  ]);
  assert.deepEqual(await read(['< 1', '10+'], { unit: 'months' }), [null, null]);
});

test('a range gives its lower bound where ranges are expected, and is no number elsewhere', async () => {
  const texts = [
    '735-739',
    '30 to 59',
    '670 – 674',
    '120+',
    '60 - 89 days',
    '700',
    '-5',
    '1-2-3',
    '12345-12349',
    '700-',
    '-700',
    'a-b',
  ];
  const seen = await read(texts, { ranges: true });
  assert.deepEqual(seen, [
    '735.000000',
    '30.000000',
    '670.000000',
    '120.000000',
    '60.000000',
    '700.000000',
    '-5.000000',
    null,
    null,
    '-700.000000',
    '-700.000000',
    null,
  ]);
  assert.deepEqual(await read(texts.slice(0, 5)), [null, null, null, null, null]);
  assert.deepEqual(await truths(isRange('t'), texts), [...Array<string>(5).fill('true'), ...Array<string>(7).fill('false')]);
});

test('words have their numbers, in any case, before anything else is tried', async () => {
  const words = { 'NO MI': '0', '-1': '0', '1': '30' };
  assert.deepEqual(await read(['no mi', 'No MI', '-1', '1', '2', 'mi'], { words, scale: 30 }), [
    '0.000000',
    '0.000000',
    '0.000000',
    '30.000000',
    '60.000000',
    null,
  ]);
});

test('the column is read exactly only where a text needs it: more than six decimals, or a negative exponent', async () => {
  const texts = [
    '1.234567',
    '1.2345678',
    '0.1234567',
    '.1234567',
    '1e-7',
    '1E-7',
    '-1e5',
    '-1',
    '1-2',
    '12345678',
    '1.5e3',
    '-0.123456',
  ];
  const long = ['1.2345678', '0.1234567', '.1234567', '1e-7', '1E-7'];
  assert.deepEqual(
    await truths(isLong('t'), texts),
    texts.map((text) => String(long.includes(text))),
  );
});

test('only what the engine itself reads as this number is given to its cast', async () => {
  const plain = ['12', '-0.5', '+3', '.5', '1e3', '2020-01-31', '/5'];
  const others = ['$5', '(5)', '1,000', '5%', '1_000', 'NaN', 'inf', '', ' 5', '\u00a05', '５'];
  assert.deepEqual(
    await truths(looksPlain('t'), plain),
    plain.map(() => 'true'),
  );
  assert.deepEqual(
    await truths(looksPlain('t'), others),
    others.map(() => 'false'),
  );
  assert.deepEqual(await read(['2020-01-31', '/5', '1e3', '1E+3', '12e', '0x1F', 'Infinity']), [
    null,
    null,
    '1000.000000',
    '1000.000000',
    null,
    null,
    null,
  ]);
});

test('of texts with the usual signs alone, the shorter pattern reads exactly what the pattern of all signs reads', async () => {
  const before = ['', ' ', '-', '+', '$', '$ ', '(', '( $', '-$', '- $', '$-', '$ -', '+ ('];
  const numbers = [
    '1',
    '1000',
    '1,000',
    '1 000',
    '1,000 000',
    '12,34,567',
    '1,25',
    '1.5',
    '.5',
    '1.',
    '1.-',
    '1.--',
    '1,000.-',
    '1.2.3',
  ];
  const behind = ['', ' ', '-', ' -', ')', ' )', '$', ' $', '%', ' %', '%-', ' $)', '%)', '--'];
  const written = before.flatMap((start) => numbers.flatMap((number) => behind.map((end) => `${start}${number}${end}`)));
  const sign = fc.constantFrom('1', '25', '000', '0', '.', ',', '$', '%', '(', ')', '+', ' ', '-');
  const text = fc.array(sign, { minLength: 1, maxLength: 7 }).map((signs) => signs.join(''));
  const readings = [{}, { percent: true }, { long: false, scale: 1000 }] satisfies Partial<NumberReading>[];
  const sameOf = async (texts: string[]) => {
    for (const reading of readings) assert.deepEqual(await read(texts, { ...reading, usual: true }), await read(texts, reading));
  };
  assert.ok((await read(written)).filter((value) => value !== null).length > 100);
  await sameOf(written);
  await fc.assert(fc.asyncProperty(fc.array(text, { minLength: 400, maxLength: 400 }), sameOf), { numRuns: 5 });
});
