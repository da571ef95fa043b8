/** A decimal number, exactly: units of ten to the power of minus scale. */
type Exact = { units: bigint; scale: number };

function exact(value: number): Exact {
  const [whole = '0', fraction = ''] = String(value).split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

/** The quotient, rounded to the nearest whole number and half to even. */
function divideEven(dividend: bigint, divisor: bigint): bigint {
  const sign = dividend < 0n ? -1n : 1n;
  const size = dividend * sign;
  const [quotient, twice] = [size / divisor, (size % divisor) * 2n];
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return sign * (up ? quotient + 1n : quotient);
}

/** The product of numbers over a divisor, rounded to so many decimals. */
export function productOver(factors: readonly number[], divisor: bigint, decimals: number): bigint {
  const all = factors.map(exact);
  const units = all.reduce((product, each) => product * each.units, 1n);
  const scale = all.reduce((sum, each) => sum + each.scale, 0);
  return divideEven(units * 10n ** BigInt(decimals), divisor * 10n ** BigInt(scale));
}

/** The sum of products over divisors, each exact to 16 decimals, in cents. */
export const costOf = (parts: readonly { amount: number; factor: number; at: number }[]): bigint =>
  divideEven(
    sum(parts.map(({ amount, factor, at }) => productOver([amount, factor, 1e8], BigInt(Math.round(at * 1e8)), 16))),
    10n ** 14n,
  );

/** An amount of money as cents. */
export const cents = (amount: number): bigint => productOver([amount], 1n, 2);
/** Cents as an amount of money. */
export const money = (amount: bigint): number => Number(amount) / 100;
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, each) => total + each, 0n);

/** The quotient of two amounts with so many decimals. */
export const ratio = (part: bigint, whole: bigint, decimals: number): number =>
  Number(divideEven(part * 10n ** BigInt(decimals), whole)) / 10 ** decimals;

/** The mean of values by weights in cents, with 6 decimals; 0 without any. */
export function meanBy(rows: readonly { weight: bigint; value: number | null }[]): number {
  const known = rows.filter((row): row is { weight: bigint; value: number } => row.value !== null);
  const total = sum(known.map((row) => row.weight));
  const weighted = sum(known.map(({ weight, value }) => weight * productOver([value], 1n, 12)));
  return total === 0n ? 0 : ratio(weighted, total * 10n ** 12n, 6);
}

/** Shares an amount by weights, by largest remainder, the earlier one where two are equal. */
export function apportion(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = sum(weights);
  const sign = amount < 0n ? -1n : 1n;
  const shares = weights.map((weight) => (amount * sign * weight) / total);
  const left = Number(amount * sign - sum(shares));
  const byRemainder = weights
    .map((weight, at) => ({ at, remainder: (amount * sign * weight) % total }))
    .toSorted((a, b) => (a.remainder === b.remainder ? a.at - b.at : a.remainder < b.remainder ? 1 : -1));
  for (const { at } of byRemainder.slice(0, left)) shares[at] = (shares[at] ?? 0n) + 1n;
  return shares.map((share) => share * sign);
}

const parts = (date: string): [number, number, number] => date.split('-').map(Number) as [number, number, number];
const DAY_MS = 86_400_000;

/** Days of interest from a date to another, over a year of 360. */
function days(dayCount: string, from: string, to: string): number {
  if (dayCount === 'ACT/360') return (Date.parse(to) - Date.parse(from)) / DAY_MS;
  const [[year, month, day], [toYear, toMonth, toDay]] = [parts(from), parts(to)];
  return (toYear - year) * 360 + (toMonth - month) * 30 + Math.min(toDay, 30) - Math.min(day, 30);
}

/** Interest on a balance at percent a year of 360 days, in cents; negative where the dates run backwards. */
export const interest = (balance: bigint, percent: number, dayCount: string, from: string, to: string): bigint =>
  productOver([money(balance), percent, days(dayCount, from, to)], 36_000n, 2);

/** The end of a day in New York in winter, as an instant. */
export const endOfDay = (date: string): number => Date.parse(`${date}T05:00:00Z`) + DAY_MS;
