/*
 * Numbers of a JSON text. What is read of one is the nearest double: of a number with many digits that may be another number.
 */

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Decimals up to which a number has to be kept: rules compare to as many, and amounts have two. */
const DECIMALS = 6;

/** Whether a double does not keep the number that a JSON text writes: it is beyond all of them, or another one to six decimals. */
export function isRounded(literal: string): boolean {
  const value = Math.abs(Number(literal));
  if (!Number.isFinite(value)) return true;
  // Doubles below it are a millionth apart or less, and have every number of up to 15 digits.
  if (value < 1e9) return false;
  return unitsOf(literal) !== unitsOf(String(value));
}

/** The magnitude of a number of 10^9 or more in millionths, rounded half up. */
function unitsOf(literal: string): bigint {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const zeros = whole.length + fraction.length - digits.length;
  const places = whole.length - zeros + Number(exponent) + DECIMALS;
  const kept = BigInt(digits.slice(0, places).padEnd(places, '0'));
  return (digits[places] ?? '0') >= '5' ? kept + 1n : kept;
}

/** The path of a value in a JSON text by the place where it begins, such as `loan_rules.0.rule.value`; empty for the whole text. */
export function pathAt(text: string, place: number): string {
  const path: (string | number)[] = [];
  for (let at = 0; at < place; at += 1) {
    const character = text[at];
    const last = path.at(-1);
    if (character === '{') path.push('');
    else if (character === '[') path.push(0);
    else if (character === '}' || character === ']') path.pop();
    else if (character === ',' && typeof last === 'number') path[path.length - 1] = last + 1;
    else if (character === '"') {
      STRING.lastIndex = at;
      const [raw = '"'] = STRING.exec(text) ?? [];
      at += raw.length - 1;
      KEY_END.lastIndex = at + 1;
      if (KEY_END.test(text)) path[path.length - 1] = JSON.parse(raw) as string;
    }
  }
  return path.join('.');
}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const KEY_END = /\s*:/y;
