import {
  DATE,
  GENERAL,
  type NumberKind,
  PERCENT,
  percentText,
  serialText,
  shownNumber,
  type ZeroFormat,
  ZEROS,
  zeroText,
} from './number-format.ts';

/** Marks of a field in `Row.formats`. */
export const PERCENT_FORMAT = 1;
export const DATE_FORMAT = 2;

export interface ShownNumber {
  bytes: Buffer;
  /** PERCENT_FORMAT, DATE_FORMAT or 0. */
  format: number;
}

/** Largest number of cached dates: tapes repeat theirs. */
const DATES_MAX = 50_000;

/** Converts the stored numbers of cells into the text that the sheet shows with their formats. */
export class CellNumbers {
  #dateSystem: 1900 | 1904;
  #dates = new Map<string, ShownNumber>();

  constructor(dateSystem: 1900 | 1904) {
    this.#dateSystem = dateSystem;
  }

  /** A number that its format cannot show is returned as stored, without a mark. `zeros` is the format of a cell of kind ZEROS. */
  shown(text: string, kind: NumberKind, zeros?: ZeroFormat): ShownNumber {
    if (kind === GENERAL) return plain(shownNumber(text));
    if (kind === ZEROS) return plain(zeros ? zeroText(text, zeros) : shownNumber(text));
    if (kind !== PERCENT) return this.#date(text, kind);
    const percent = percentText(text);
    return percent === null ? plain(text) : { bytes: Buffer.from(percent), format: PERCENT_FORMAT };
  }

  #date(text: string, kind: NumberKind): ShownNumber {
    const known = kind === DATE ? this.#dates.get(text) : undefined;
    if (known) return known;
    const date = text === '' ? null : serialText(Number(text), kind, this.#dateSystem);
    if (date === null) return plain(text);
    const shown = { bytes: Buffer.from(date), format: DATE_FORMAT };
    if (kind === DATE && this.#dates.size < DATES_MAX) this.#dates.set(text, shown);
    return shown;
  }
}

function plain(text: string): ShownNumber {
  return { bytes: Buffer.from(text), format: 0 };
}
