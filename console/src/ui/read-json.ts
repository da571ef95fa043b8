export type ReadJson = { value: unknown } | { problem: string };

/** Texts, in which digits are no numbers, and numbers. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** With all digits of a number that is given as text, up to those that the gateway compares. */
const WRITTEN = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6, useGrouping: false });
/** Below it a double keeps every number to six decimals. */
const KEPT_BELOW = 1e9;

/** JSON as people type it. A number that the browser would send as another one is a problem: the gateway could not tell any more. */
export function readJson(text: string): ReadJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const numbers = (text.match(TEXT_OR_NUMBER) ?? []).filter((each) => !each.startsWith('"'));
  const problem = numbers.map(roundingOf).find((each) => each !== null);
  return problem ? { problem } : { value };
}

/** What is wrong with a number whose double is another number; null for one that is kept. */
export function roundingOf(number: string): string | null {
  const kept = Number(number);
  if (Math.abs(kept) < KEPT_BELOW) return null;
  if (Number.isFinite(kept) && written(number) === written(String(kept))) return null;
  return `The number ${number} has more digits than are kept: it would be sent as ${kept}.`;
}

const written = (number: string): string => WRITTEN.format(number as `${number}`);
