/** A measure over the periods: one number, or one for each period, the last of which persists. */
export type Vector = number | readonly number[];
export type ParsedVector = { vector: Vector | undefined } | { problem: string };

const HELP = 'Write a number, runs such as “6 for 12, 8”, or a ramp such as “0.2 to 6 over 30, 6”.';
const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const RUN = new RegExp(`^(${NUMBER})(?:\\s+for\\s+(\\d+))?$`);
const RAMP = new RegExp(`^(${NUMBER})\\s+to\\s+(${NUMBER})\\s+over\\s+(\\d+)$`);
const LONGEST = 480;

/** `6 for 12, 8` is 6 in twelve periods and 8 from then on; `0.2 to 6 over 30, 6` rises by equal steps. */
export function vectorOf(text: string): ParsedVector {
  const given = text.trim();
  if (given === '') return { vector: undefined };
  const parts = given.split(',').map((part) => part.trim());
  const values: number[] = [];
  for (const [at, part] of parts.entries()) {
    const run = RUN.exec(part);
    const ramp = RAMP.exec(part);
    if (run) {
      const [, value, times] = run;
      const last = at === parts.length - 1;
      if (!last && times === undefined && parts.some((each) => / for | over /.test(each)))
        return { problem: `“${part}” does not say for how many periods. ${HELP}` };
      for (let period = 0; period < Math.min(Number(times ?? 1), LONGEST); period += 1) values.push(Number(value));
    } else if (ramp) {
      const [from, to, over] = [Number(ramp[1]), Number(ramp[2]), Math.min(Number(ramp[3]), LONGEST)];
      for (let period = 0; period < over; period += 1)
        values.push(over === 1 ? to : tidy(from + ((to - from) * period) / (over - 1)));
    } else return { problem: `“${part}” cannot be read. ${HELP}` };
  }
  if (values.length > LONGEST) return { problem: `It has ${values.length} periods; the most are ${LONGEST}.` };
  const [only] = values;
  return { vector: values.length === 1 && only !== undefined ? only : values };
}

const DIGITS = 1e6;
const tidy = (value: number): number => Math.round(value * DIGITS) / DIGITS;

/** Periods as runs; the last run persists and needs no length. */
export function textOfVector(vector: Vector | undefined): string {
  if (vector === undefined) return '';
  if (typeof vector === 'number') return String(vector);
  const runs: [value: number, times: number][] = [];
  for (const value of vector) {
    const last = runs.at(-1);
    if (last && last[0] === value) last[1] += 1;
    else runs.push([value, 1]);
  }
  const plain = runs.every(([, times]) => times === 1);
  return runs.map(([value, times], at) => (plain || at === runs.length - 1 ? String(value) : `${value} for ${times}`)).join(', ');
}

/** The vector in its first periods. */
export const drawn = (vector: Vector | undefined, periods: number): (number | null)[] =>
  Array.from({ length: periods }, (_, at) => {
    if (vector === undefined) return null;
    return typeof vector === 'number' ? vector : (vector[Math.min(at, vector.length - 1)] ?? null);
  });
