import { bytesOf, csv, type Damaged, type DamageKind, decimalOf, type Table } from './table.ts';

type Line = readonly string[];

function file(
  name: string,
  bytes: (table: Table) => Buffer | string,
  more: (table: Table) => Partial<Damaged> = () => ({}),
): DamageKind {
  return { name, damage: (table) => ({ bytes: Buffer.from(bytes(table)), ...more(table) }) };
}

function lines(
  name: string,
  change: (table: Table) => Line[],
  more: (table: Table) => Partial<Damaged> = () => ({}),
): DamageKind {
  return {
    name,
    damage(table) {
      const [header = [], ...rows] = change(table);
      return { bytes: bytesOf(header, rows), ...more(table) };
    },
  };
}

const all = ({ header, rows }: Table) => csv(header, rows);
const whole = ({ header, rows }: Table): Line[] => [header, ...rows];
const padded = (table: Table, texts: Line): Line => table.header.map((_, index) => texts[index] ?? '');
const delimited = (delimiter: string) => (table: Table) => csv(table.header, table.rows, delimiter);
const quoted = (table: Table) =>
  whole(table)
    .map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
    .join('\n');
const middle = (table: Table) => Math.floor(table.rows.length / 2);
const inserted = (table: Table, ...rows: Line[]): Line[] => {
  const at = middle(table);
  return [table.header, ...table.rows.slice(0, at), ...rows, ...table.rows.slice(at)];
};
const totals = (table: Table): Line =>
  table.header.map((_, index) => {
    if (index === 0) return 'Total';
    const numbers = table.rows.map((row) => decimalOf(row[index] ?? ''));
    const isMoney = numbers.every((number) => number !== null) && numbers.some((number) => number !== null && number > 1_000);
    return isMoney ? numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0).toFixed(2) : '';
  });
const utf16 = (text: string, big: boolean, mark: boolean) => {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le');
  return big ? bytes.swap16() : bytes;
};
const kept = (table: Table, without: (row: number) => boolean) => ({
  kept: table.rows.flatMap((_, row) => (without(row) ? [] : [row])),
});

export const STRUCTURE_DAMAGE: readonly DamageKind[] = [
  file('semicolons', delimited(';')),
  file('tabs', delimited('\t')),
  file('pipes', delimited('|')),
  file('carets', delimited('^')),
  file('tildes', delimited('~')),
  file('every text in quotes', quoted),
  file('CRLF', (table) => csv(table.header, table.rows, ',', '\r\n')),
  file('CR', (table) => csv(table.header, table.rows, ',', '\r')),
  file('no end of the last line', (table) => all(table).trimEnd()),
  file('a byte order mark', (table) => `\ufeff${all(table)}`),
  file('UTF-16 LE with its mark', (table) => utf16(all(table), false, true)),
  file('UTF-16 BE with its mark', (table) => utf16(all(table), true, true)),
  file('UTF-16 LE without its mark', (table) => utf16(all(table), false, false)),
  file('Windows-1252', (table) =>
    Buffer.from(
      csv(
        [...table.header, 'Remark'],
        table.rows.map((row) => [...row, 'caf\u00e9']),
      ),
      'latin1',
    ),
  ),
  file('blank lines at the beginning', (table) => `\n\n\n${all(table)}`),
  file('blank lines at the end', (table) => `${all(table)}\n\n\n`),
  file('blank lines between', (table) => all(table).replaceAll('\n', '\n\n')),
  file('rows of delimiters at the end', (table) => all(table) + `${','.repeat(table.header.length - 1)}\n`.repeat(5)),
  file('a delimiter at the end of every line', (table) => all(table).replaceAll('\n', ',\n')),
  file('a delimiter at the end of every row, not of the header', (table) =>
    all(table).replaceAll('\n', ',\n').replace(',\n', '\n'),
  ),
  file('blanks around every text', (table) =>
    csv(
      table.header.map((name) => ` ${name} `),
      table.rows.map((row) => row.map((text) => ` ${text} `)),
    ),
  ),
  file('comments in front', (table) => `# exported by the servicer\n# confidential\n${all(table)}`),
  file('a banner', (table) => `Loan Tape,,,\nAs of 2020-01-31,,,\n,,,\n${all(table)}`),
  file('a banner of one line', (table) => `Harbor Servicing - loan tape\n${all(table)}`),
  file('the separator named in front, as Excel reads it', (table) => `sep=,\n${all(table)}`),
  file('a footer', (table) => `${all(table)}\nSource: servicing system\nEnd of file\n`),
  file('a count of records behind', (table) => `${all(table)}Record count: ${table.rows.length}\n`),
  file(
    'the end cut off in a row',
    (table) => all(table).slice(0, -30),
    (table) => kept(table, (row) => row === table.rows.length - 1),
  ),
  file(
    'one quote that is never closed',
    (table) => {
      const [head = '', ...rest] = all(table).split('\n');
      return [head, ...rest.map((row, index) => (index === middle(table) ? `"${row}` : row))].join('\n');
    },
    (table) => kept(table, (row) => row >= middle(table)),
  ),
  file('a quote within a text', (table) =>
    csv(
      [...table.header, 'Remark'],
      table.rows.map((row) => [...row, 'x']),
    ).replaceAll(',x\n', ',5" pipe\n'),
  ),
  file('line breaks within a text', (table) =>
    csv(
      [...table.header, 'Remark'],
      table.rows.map((row) => [...row, 'one\ntwo']),
    ),
  ),
  file('zero bytes in a text', (table) =>
    csv(
      [...table.header, 'Remark'],
      table.rows.map((row) => [...row, 'a\0b']),
    ),
  ),
  lines('a row of totals', (table) => [...whole(table), totals(table)]),
  lines('a row of totals after a blank row', (table) => [...whole(table), padded(table, []), totals(table)]),
  lines('a row of totals under the header', (table) => [table.header, totals(table), ...table.rows]),
  lines('subtotals in the middle', (table) => {
    const at = middle(table);
    return [
      table.header,
      ...table.rows.slice(0, at),
      totals({ ...table, rows: table.rows.slice(0, at) }),
      ...table.rows.slice(at),
    ];
  }),
  lines('the header again in the middle', (table) => inserted(table, table.header)),
  lines('a second row of the header', (table) => [
    table.header,
    table.header.map((_, index) => `Column ${index + 1}`),
    ...table.rows,
  ]),
  lines('a row of units under the header', (table) => [
    table.header,
    padded(table, ['', 'USD', 'USD', '%', 'months']),
    ...table.rows,
  ]),
  lines('groups above the header', (table) => [padded(table, ['Loan', '', 'Amounts', '', 'Terms']), table.header, ...table.rows]),
  lines('a blank row between', (table) => inserted(table, padded(table, []))),
  lines('a note in the middle', (table) => inserted(table, padded(table, ['*** loans of the second pool ***']))),
  lines('an index without a name in front', (table) => [
    ['', ...table.header],
    ...table.rows.map((row, index) => [String(index), ...row]),
  ]),
  lines('an index and a header one cell shorter', (table) => [
    table.header,
    ...table.rows.map((row, index) => [String(index + 1), ...row]),
  ]),
  lines('columns without a name', (table) => [[...table.header, '', ''], ...table.rows.map((row) => [...row, '', ''])]),
  lines(
    'one row that is too short',
    (table) => [table.header, ...table.rows.map((row, index) => (index === 7 ? row.slice(0, 3) : row))],
    (table) => kept(table, (row) => row === 7),
  ),
  lines(
    'one row that is too long',
    (table) => [table.header, ...table.rows.map((row, index) => (index === 7 ? [...row, 'x', 'y'] : row))],
    (table) => kept(table, (row) => row === 7),
  ),
  lines(
    'one row moved by a cell',
    (table) => [table.header, ...table.rows.map((row, index) => (index === 7 ? ['', ...row] : row))],
    (table) => kept(table, (row) => row === 7),
  ),
  file(
    'a comma in a text without quotes',
    (table) => {
      const [head = '', ...rest] = csv(
        [...table.header, 'Remark'],
        table.rows.map((row) => [...row, 'x']),
      ).split('\n');
      return [head, ...rest.map((row, index) => (index === 7 ? row.replace(/,x$/, ',Smith, John') : row))].join('\n');
    },
    (table) => kept(table, (row) => row === 7),
  ),
  lines(
    'rows in another order',
    (table) => [table.header, ...table.rows.toReversed()],
    (table) => ({ kept: table.rows.map((_, row) => table.rows.length - 1 - row) }),
  ),
  lines('some rows twice', (table) => [...whole(table), ...table.rows.slice(3, 6)]),
  lines('a blank column between', (table) => whole(table).map((row) => [...row.slice(0, 2), '', ...row.slice(2)])),
  file('no header', (table) => csv(table.header, table.rows).split('\n').slice(1).join('\n')),
  file('only the header', (table) => csv(table.header, [])),
  file('an empty file', () => ''),
  file('JSON', (table) =>
    JSON.stringify(table.rows.map((row) => Object.fromEntries(table.header.map((name, index) => [name, row[index]])))),
  ),
  file(
    'HTML',
    (table) =>
      `<html><body><table>${whole(table)
        .map((row) => `<tr>${row.map((text) => `<td>${text}</td>`).join('')}</tr>`)
        .join('')}</table></body></html>`,
  ),
];
