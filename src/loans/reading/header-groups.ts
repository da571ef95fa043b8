import { type HeaderFinding, isName, isUnitWord } from './header.ts';

/**
 * The names of a header with those of their groups in front, where the row above it names groups of columns (`Original` over `Balance` and
 * `Term`, `Current` over the same), each of which reaches to the next one: names that the header repeats, and those that say too little
 * without their group (`ID` under `Borrower`). Null where there are none, or where that tells them not all apart.
 */
export function groupedNames(names: readonly string[], above: readonly string[] | undefined): string[] | null {
  const stacked = above === undefined ? null : stackedNames(above, names);
  if (stacked) return stacked;
  const key = (name: string) => name.trim().toLowerCase();
  const counts = new Map<string, number>();
  for (const name of names) counts.set(key(name), (counts.get(key(name)) ?? 0) + 1);
  const isRepeated = (name: string) => name !== '' && (counts.get(key(name)) ?? 0) > 1;
  const groups = new Set(above?.filter(Boolean));
  if (!above || groups.size < 2 || ![...groups].every(isName)) return null;
  let group = '';
  const grouped = names.map((name, column) => {
    group = above[column] || group;
    if (group === '') return name;
    if (isRepeated(name)) return `${group} ${name}`;
    const owner = ownerOf(group, name);
    return owner === null ? name : `${owner} ${name}`;
  });
  if (grouped.every((name, column) => name === names[column])) return null;
  const filled = grouped.filter(Boolean).map(key);
  return new Set(filled).size === filled.length ? grouped : null;
}

/** Groups, and the names that are another quantity without them. What a last group has further to the right may be none of it. */
const OWNERS: readonly [groups: RegExp, names: RegExp][] = [
  [/^(?:loan|lease|contract|account)$/, /^(?:id|no|nr|num|number)$/],
  [
    /^(?:(?:co-?)?(?:borrower|obligor|applicant)|customer|client|lessee|debtor|guarantor|servicer|seller|originator|lender|dealer)$/,
    /^(?:id|no|nr|num|number|name|type|status|state)$/,
  ],
  [/^(?:property|vehicle|collateral|asset|equipment)$/, /^(?:id|no|nr|num|number|type|value|status|state|date|amount|balance)$/],
  [
    /^(?:original|current|(?:at )?origination|(?:at )?cut-?off|previous|prior)$/,
    /^(?:balance|amount|rate|term|payment|value|score)$/,
  ],
  [
    /^(?:(?:interest )?rate )?(?:swap|hedge|cap)s?(?: ?\/ ?(?:swap|hedge|cap)s?)?$/,
    /^(?:id|no|nr|number|balance|amount|rate|term|type|value|(?:(?:maturity|start|end|effective) )?date|maturity)$/,
  ],
];
const OF_A_GROUP = / (?:information|info|details?|data|level)$/i;

/** The group that a name needs, as it is called without `information` and the like; null where it needs none. */
function ownerOf(group: string, name: string): string | null {
  const owner = group.trim().replace(OF_A_GROUP, '');
  const plain = name.trim().toLowerCase().replace(/[.#]$/, '');
  return OWNERS.some(([groups, names]) => groups.test(owner.toLowerCase()) && names.test(plain)) ? owner : null;
}

/** The header as its lower line, where its names are written on two (`Original` over `Balance`, `Interest` over `Rate`). */
export function lowerLine({ index, seconds }: HeaderFinding, texts: readonly string[][]): HeaderFinding {
  const below = seconds.includes(index + 1) ? index + 1 : -1;
  if (below < 0 || !stackedNames(texts[index], texts[below])) return { index, seconds };
  return { index: below, seconds: [...seconds.filter((at) => at !== below), index].toSorted((a, b) => a - b) };
}

/** Second words of names. */
const NOUN =
  /^(?:id|no|nr|num|number|balance|bal|amount|amt|rate|term|date|type|status|code|name|payment|pmt|value|score|principal|price|income|ratio|due|limit|flag|financed|outstanding)\.?$/i;

/** The names of a header that is written on two lines, each of one word; null where the lines are no such header. */
function stackedNames(above: readonly string[], names: readonly string[]): string[] | null {
  const columns = Array.from({ length: Math.max(above.length, names.length) }, (_, at) => [above[at] ?? '', names[at] ?? '']);
  const lower = columns.filter(([, under]) => under !== '');
  const upper = columns.filter(([over]) => over !== '');
  const isNoun = (text: string) => NOUN.test(text);
  const areWords =
    lower.every(([, under]) => isNoun(under)) &&
    lower.filter(([, under]) => !isUnitWord(under)).length >= 2 &&
    upper.every(([over]) => /^[^\s_]+$/.test(over)) &&
    upper.filter(([over]) => isNoun(over)).length * 3 <= upper.length;
  const filled = lower.filter(([over]) => over !== '').length;
  if (!areWords || filled < 0.8 * lower.length || lower.length * 2 < upper.length) return null;
  const joined = columns.map((pair) => pair.filter(Boolean).join(' '));
  const full = joined.filter(Boolean).map((name) => name.toLowerCase());
  return new Set(full).size === full.length ? joined.slice(0, names.length) : null;
}
