/** A row of `width` fields, blank but for those by position. */
export function blankRow(width: number, fields: Readonly<Record<number, string>>): string[] {
  return Array.from({ length: width }, (_, index) => fields[index] ?? '');
}

/** A row in the layout of Fannie Mae, of the given number of fields. */
export const fannieMae = (width: number, more: Record<number, string> = {}) =>
  blankRow(width, {
    1: '100007365142',
    2: '012020',
    3: 'R',
    4: 'Other',
    7: '4.125',
    8: '4.125',
    9: '251000.00',
    11: '248113.52',
    12: '360',
    13: '112019',
    14: '012020',
    15: '0',
    18: '122049',
    19: '80',
    20: '80',
    21: '2',
    22: '38',
    23: '752',
    26: 'P',
    27: 'SF',
    28: '1',
    29: 'P',
    30: 'CO',
    32: '802',
    34: 'FRM',
    39: '00',
    41: 'N',
    ...more,
  });
