/** Comparisons of a field with a value, as the filters of loans offer them. */
export const OPERATORS = [
  { value: 'eq', label: '=' },
  { value: 'ne', label: '≠' },
  { value: 'gte', label: '≥' },
  { value: 'lte', label: '≤' },
];

const NUMBER = /^-?\d+(\.\d+)?$/;

/** What was typed, as a value of a rule: a number where it is one and its field holds numbers. Ids and postal codes of digits are texts. */
export const ruleValue = (value: string, isNumeric: boolean): string | number =>
  isNumeric && NUMBER.test(value) ? Number(value) : value;
