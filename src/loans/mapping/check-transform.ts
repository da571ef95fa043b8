import { type Field, isNumeric } from '../dictionary/field.ts';
import { normalizeHeader } from '../reading/header.ts';
import type { Transform } from '../types.ts';
import { isDatePattern } from '../values/date.ts';
import { isExactFactor } from '../values/quotient.ts';

/** What is wrong with a transform of a column for its field, in sentences. The names of a formula are the criteria language's to judge. */
export function checkTransform(source: string, transform: Transform, field: Field): string[] {
  return CHECKS.flatMap((check) => check(transform, field, source));
}

type Check = (transform: Transform, field: Field, source: string) => string[];

const scale: Check = (transform, field) => [
  ...problem(transform.scale !== undefined && !isNumeric(field), `scale needs a number; "${field.field}" is ${field.type}`),
  ...problem(
    transform.scale !== undefined && !(transform.scale > 0 && transform.scale <= 1_000_000),
    `scale must be above 0 and at most 1,000,000, not ${transform.scale}`,
  ),
  ...problem(
    transform.scale !== undefined && transform.scale > 0 && transform.scale <= 1_000_000 && !isKept(transform.scale),
    `scale must have at most nine decimals, or the amounts would be multiplied by another number; it is ${transform.scale}. A fraction such as one twelfth is {"divide": 12}`,
  ),
];

/** Whether the scale is the decimal with nine places by which numbers are multiplied. */
const isKept = (scale: number): boolean => Number(scale.toFixed(9)) === scale;

const factors: Check = (transform, field) =>
  (['multiply', 'divide'] as const).flatMap((name) => {
    const factor = transform[name];
    if (factor === undefined) return [];
    const wrong = factor === 0 || !isExactFactor(factor);
    return [
      ...problem(!isNumeric(field), `${name} needs a number; "${field.field}" is ${field.type}`),
      ...problem(
        wrong,
        `${name} must lie between -1,000,000 and 1,000,000, with at most six decimals, and not be 0; it is ${factor}`,
      ),
      ...problem(
        transform.scale !== undefined,
        `scale and ${name} both change the number; write multiply and divide without scale`,
      ),
    ];
  });

const unit: Check = (transform, field) =>
  problem(
    transform.unit !== undefined && field.type !== 'percent',
    `unit needs a percent field; "${field.field}" is ${field.type}`,
  );

const date: Check = (transform, field) => [
  ...problem(transform.date !== undefined && field.type !== 'date', `date needs a date field; "${field.field}" is ${field.type}`),
  ...problem(
    transform.date !== undefined && !isDatePattern(transform.date),
    `date "${transform.date}" is not a pattern such as MMYYYY, MM/DD/YYYY, DD-MON-YY, SAS or EXCEL`,
  ),
];

const values: Check = ({ values: words }, field) => {
  if (!words || !field.enum) return [];
  const unknown = Object.values(words).filter((value) => value !== null && !field.enum?.includes(String(value)));
  if (unknown.length === 0) return [];
  return [`${[...new Set(unknown)].map((value) => `"${value}"`).join(', ')} is not one of ${field.enum.join(', ')}`];
};

const TEXTS = ['split', 'concat', 'replace', 'values'] as const;

const formula: Check = (transform, field) => {
  if (transform.formula === undefined) return [];
  const beside = TEXTS.filter((name) => transform[name] !== undefined);
  return [
    ...problem(!isNumeric(field), `formula gives a number; "${field.field}" is ${field.type}`),
    ...problem(
      beside.length > 0,
      `formula computes a number, so there is no text for ${beside.join(', ')}; leave one of them out`,
    ),
    ...problem(transform.scale !== undefined, 'the scale of a formula stands inside of it: {"num": …, "den": …, "scale": …}'),
  ];
};

const split: Check = ({ split: part }) => [
  ...problem(part?.part === 0, 'the parts of split count from 1, from the end from -1; there is no part 0'),
];

const concat: Check = ({ concat: joined }, _field, source) => {
  if (!joined) return [];
  const names = [source, ...joined.columns].map(normalizeHeader);
  const twice = joined.columns.find((_, index) => names.indexOf(names[index + 1] ?? '') !== index + 1);
  return problem(twice !== undefined, `concat joins "${twice}" twice; it names the columns behind "${source}"`);
};

const replace: Check = ({ replace: pairs }) => {
  const idle = pairs?.find((pair) => pair.find === pair.with);
  return problem(idle !== undefined, `replace "${idle?.find}" with itself changes nothing; leave it out`);
};

const CHECKS: readonly Check[] = [scale, factors, unit, date, values, formula, split, concat, replace];

function problem(isWrong: boolean, message: string): string[] {
  return isWrong ? [message] : [];
}
