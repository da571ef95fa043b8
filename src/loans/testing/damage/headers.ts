import { bytesOf, columnsOf, type DamageKind, decimalOf, pickOne, plain, type Table, withColumn, withHeader } from './table.ts';

const AMOUNTS = ['money', 'percent', 'date'] as const;
const NAMED = ['money', 'percent', 'date', 'integer', 'number', 'enum', 'string'] as const;

/** Words that make another thing of a name, before it and behind it. */
const BEFORE =
  'Prior Previous Old Next First Max Min Scheduled Projected Average Co-Borrower Last Highest Lowest Estimated'.split(' ');
const BEHIND = 'Type Code Index Cap Floor Change Adjustment Event Flag Count Indicator History Status Source Old'.split(' ');

function another(text: string, row: number): string {
  const number = decimalOf(text);
  if (number === null) return text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1 + (row % 7)) % 10));
  return String(Math.round(number * (row % 3 === 0 ? 0.83 : 0.91) * 100) / 100);
}

/** A second column, of other values, whose name has one word more. */
function decoy(word: string, name: (header: string) => string): DamageKind {
  return {
    name: `a second column with "${word}" in its name`,
    damage(table, pick) {
      const column = pickOne(columnsOf(table, AMOUNTS), pick);
      if (column === undefined) return undefined;
      const at = pick.integer(table.header.length + 1);
      const insert = (row: readonly string[], text: string) => [...row.slice(0, at), text, ...row.slice(at)];
      const header = insert(table.header, name(table.header[column] ?? ''));
      return {
        bytes: bytesOf(
          header,
          table.rows.map((row, index) => insert(row, another(row[column] ?? '', index))),
        ),
      };
    },
  };
}

/** The only column of its kind is of something else. */
function impostor(word: string, name: (header: string) => string): DamageKind {
  return {
    name: `"${word}" in the name of the only column of its kind`,
    damage(table, pick) {
      const column = pickOne(columnsOf(table, AMOUNTS), pick);
      if (column === undefined) return undefined;
      return { ...plain(withColumn(withHeader(table, column, name), column, another)), gone: [table.fields[column] ?? ''] };
    },
  };
}

function isId(table: Table, column: number): boolean {
  return ['loan_id', 'account_id'].includes(table.fields[column] ?? '');
}

function spelled(name: string, change: (header: string, index: number) => string): DamageKind {
  return {
    name: `headers ${name}`,
    damage: (table) => plain({ ...table, header: table.header.map(change) }),
  };
}

const words = (header: string) =>
  header
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9%$/()#]+/)
    .filter(Boolean);
const SHORT: Readonly<Record<string, string>> = {
  original: 'Orig',
  origination: 'Orig',
  current: 'Curr',
  balance: 'Bal',
  amount: 'Amt',
  interest: 'Int',
  payment: 'Pmt',
  date: 'Dt',
  remaining: 'Rem',
  maturity: 'Mat',
  number: 'Nbr',
  principal: 'Prin',
  account: 'Acct',
  months: 'Mos',
};

const SPELLINGS: readonly DamageKind[] = [
  spelled('in upper case', (header) => header.toUpperCase()),
  spelled('in lower case', (header) => header.toLowerCase()),
  spelled('with underscores', (header) => words(header).join('_')),
  spelled('in lower case with underscores', (header) => words(header).join('_').toLowerCase()),
  spelled('with hyphens', (header) => words(header).join('-')),
  spelled('with points', (header) => words(header).join('.')),
  spelled('in camel case', (header) =>
    words(header)
      .map((word) => word[0]?.toUpperCase() + word.slice(1))
      .join(''),
  ),
  spelled('with blanks around', (header) => `  ${header} `),
  spelled('with no-break spaces', (header) => words(header).join('\u00a0')),
  spelled('with two blanks', (header) => words(header).join('  ')),
  spelled('over two lines', (header) => words(header).join('\n')),
  spelled('with numbers in front', (header, index) => `${index + 1}. ${header}`),
  spelled('with numbers in brackets in front', (header, index) => `(${index + 1}) ${header}`),
  spelled('abbreviated', (header) =>
    words(header)
      .map((word) => SHORT[word.toLowerCase()] ?? word)
      .join(' '),
  ),
  spelled('with a star for required', (header) => `${header}*`),
  spelled('with a colon', (header) => `${header}:`),
  spelled('in single quotes', (header) => `'${header}'`),
];

/** A unit in the header, and the values in it. */
function unit(text: string, factor: number, types: readonly ('money' | 'percent')[]): DamageKind {
  return {
    name: `a header with ${text}`,
    damage(table, pick) {
      const column = pickOne(
        columnsOf(table, types).filter((index) => readsWhole(table, index)),
        pick,
      );
      if (column === undefined) return undefined;
      const named = withHeader(table, column, (name) => `${name} ${text}`);
      return plain(withColumn(named, column, (value) => String(Number(((decimalOf(value) ?? 0) * factor).toPrecision(15)))));
    },
  };
}

function readsWhole(table: Table, column: number): boolean {
  return table.rows.every((row) => row[column] === '' || decimalOf(row[column] ?? '') !== null);
}

const money = ['money'] as const;
const percent = ['percent'] as const;
const UNITS: readonly DamageKind[] = [
  unit('($000s)', 0.001, money),
  unit("(000's)", 0.001, money),
  unit('(in thousands)', 0.001, money),
  unit('in thousands', 0.001, money),
  unit('(USD k)', 0.001, money),
  unit('(USD mm)', 0.000001, money),
  unit('[in millions]', 0.000001, money),
  unit('(cents)', 100, money),
  unit('($M)', 0.000001, money),
  unit('(EUR)', 1, money),
  unit('USD', 1, money),
  unit('($)', 1, money),
  unit('(bps)', 100, percent),
  unit('(basis points)', 100, percent),
  unit('(%)', 1, percent),
  unit('%', 1, percent),
];

export const HEADER_DAMAGE: readonly DamageKind[] = [
  ...BEFORE.map((word) => decoy(word, (header) => `${word} ${header}`)),
  ...BEHIND.map((word) => decoy(word, (header) => `${header} ${word}`)),
  ...BEFORE.map((word) => impostor(word, (header) => `${word} ${header}`)),
  ...BEHIND.map((word) => impostor(word, (header) => `${header} ${word}`)),
  ...SPELLINGS,
  ...UNITS,
  {
    name: 'two columns with one name and other values',
    damage(table, pick) {
      const column = pickOne(columnsOf(table, NAMED), pick);
      if (column === undefined) return undefined;
      const rows = table.rows.map((row, index) => [...row, another(row[column] ?? '', index)]);
      return { bytes: bytesOf([...table.header, table.header[column] ?? ''], rows) };
    },
  },
  {
    name: 'a column twice with one name',
    damage(table, pick) {
      const column = pickOne(columnsOf(table, NAMED), pick);
      if (column === undefined) return undefined;
      return {
        bytes: bytesOf(
          [...table.header, table.header[column] ?? ''],
          table.rows.map((row) => [...row, row[column] ?? '']),
        ),
      };
    },
  },
  {
    name: 'columns in another order',
    damage(table, pick) {
      const order = table.header.map((_, index) => index);
      for (let index = order.length - 1; index > 0; index -= 1) {
        const other = pick.integer(index + 1);
        [order[index], order[other]] = [order[other] ?? 0, order[index] ?? 0];
      }
      const sorted = (row: readonly string[]) => order.map((index) => row[index] ?? '');
      return { bytes: bytesOf(sorted(table.header), table.rows.map(sorted)) };
    },
  },
  {
    name: 'a column left out',
    damage(table, pick) {
      const column = pickOne(columnsOf(table, NAMED), pick);
      if (column === undefined) return undefined;
      const without = (row: readonly string[]) => row.filter((_, index) => index !== column);
      return {
        bytes: bytesOf(without(table.header), table.rows.map(without)),
        gone: [table.fields[column] ?? ''],
        byOrder: isId(table, column),
      };
    },
  },
];
