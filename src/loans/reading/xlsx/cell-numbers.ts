import {
  DATE,
  GENERAL,
  type NumberKind,
  PERCENT,
  PERCENT_SIGN,
  percentText,
  serialText,
  shownNumber,
  type ZeroFormat,
  ZEROS,
  zeroText,
} from './number-format.ts';

/** Marks of a field in `Row.formats`; above them stands the place, from 1, of the cell's format among those that show a unit. */
export const PERCENT_FORMAT = 1;
export const DATE_FORMAT = 2;
export const UNIT_FORMAT_SHIFT = 2;
export const UNIT_FORMATS_MAX = 16_383;

export interface ShownNumber {
  bytes: Buffer;
  /** PERCENT_FORMAT, DATE_FORMAT or 0. */
  format: number;
}

/** Largest number of cached texts of a kind: tapes repeat their dates and rates. */
const CACHED_MAX = 50_000;
/** A longer number is none that repeats. */
const CACHED_LENGTH = 32;

/** Converts the stored numbers of cells into the text that the sheet shows with their formats. */
export class CellNumbers {
  #dateSystem: 1900 | 1904;
  #dates = new Map<string, ShownNumber>();
  #days = new Map<number, ShownNumber>();
  #percents = new Map<string, ShownNumber>();

  constructor(dateSystem: 1900 | 1904) {
    this.#dateSystem = dateSystem;
  }

  /** A number that its format cannot show is returned as stored, without a mark. `zeros` is the format of a cell of kind ZEROS. */
  shown(text: string, kind: NumberKind, zeros?: ZeroFormat): ShownNumber {
    if (kind === GENERAL) return plain(shownNumber(text));
    if (kind === ZEROS) return plain(zeros ? zeroText(text, zeros) : shownNumber(text));
    if (kind === PERCENT_SIGN) return { bytes: Buffer.from(`${shownNumber(text)}%`), format: PERCENT_FORMAT };
    return kind === PERCENT ? this.#percent(text) : this.#date(text, kind);
  }

  /** A whole serial day, as nearly all dates are, without its text. */
  day(serial: number): ShownNumber {
    const known = this.#days.get(serial);
    if (known) return known;
    const shown = this.#date(String(serial), DATE);
    if (this.#days.size < CACHED_MAX) this.#days.set(serial, shown);
    return shown;
  }

  #percent(text: string): ShownNumber {
    const known = this.#percents.get(text);
    if (known) return known;
    const percent = percentText(text);
    if (percent === null) return plain(text);
    const shown = { bytes: Buffer.from(percent), format: PERCENT_FORMAT };
    if (this.#percents.size < CACHED_MAX && text.length <= CACHED_LENGTH) this.#percents.set(text, shown);
    return shown;
  }

  #date(text: string, kind: NumberKind): ShownNumber {
    const known = kind === DATE ? this.#dates.get(text) : undefined;
    if (known) return known;
    const date = text === '' ? null : serialText(Number(text), kind, this.#dateSystem);
    if (date === null) return plain(text);
    const shown = { bytes: Buffer.from(date), format: DATE_FORMAT };
    if (kind === DATE && this.#dates.size < CACHED_MAX && text.length <= CACHED_LENGTH) this.#dates.set(text, shown);
    return shown;
  }
}

function plain(text: string): ShownNumber {
  return { bytes: Buffer.from(text), format: 0 };
}
