/** Types of a cell's value, as its attribute `t` names them. */
export const NUMBER = 0;
export const SHARED = 1;
export const STRING = 2;
export const BOOLEAN = 3;
export const PLAIN_TEXT = 4;

const SPACE = 32;
const QUOTE = 34;
const AMPERSAND = 38;
const ZERO = 48;
const NINE = 57;
const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const LETTER_A = 65;
const LETTER_Z = 90;
const UNDERSCORE = 95;
const LETTER_N = 110;
const LETTER_S = 115;
const LETTER_T = 116;

const SHORTEST = '<c r="A1"><v>0</v></c>'.length;
const [REFERENCE, STYLE, TYPE, VALUE, VALUE_END, CELL_END] = ['<c r', ' s="', ' t="', '><v>', '</v>', '</c>'].map(word);
const INLINE = 'inlineStr"><is><t';
const [INLI, NEST, R_IS, IS] = ['inli', 'neSt', 'r"><', 'is><'].map(word);
const KEPT = ' xml:space="preserve"';
const [XML, SPAC, E_IS, PRES, ERVE] = [' xml', ':spa', 'ce="', 'pres', 'erve'].map(word);
const [TEXT_END, IS_END, CELL_CLOSE] = ['</t>', '</is', '></c'].map(word);

/**
 * Cells as spreadsheet programs write nearly all of theirs, taken in one pass over their bytes: a reference, a style, a number, a shared
 * or an inline string, no formula, nothing to decode. Every other cell is left to the reader of any XML.
 */
export class UsualCell {
  /** Column from 1. */
  column = 0;
  /** -1 where the cell names none. */
  style = -1;
  type = NUMBER;
  /** Location of the value. */
  start = 0;
  end = 0;
  /** Offset after the cell. */
  after = 0;

  /** Whether the tag at `less` begins such a cell that ends before `end`. */
  read(bytes: Buffer, less: number, end: number): boolean {
    if (end - less < SHORTEST || four(bytes, less) !== REFERENCE || bytes[less + 4] !== EQUALS || bytes[less + 5] !== QUOTE)
      return false;
    let at = less + 6;
    let column = 0;
    for (; at < end && bytes[at] >= LETTER_A && bytes[at] <= LETTER_Z; at += 1) column = column * 26 + bytes[at] - LETTER_A + 1;
    this.column = column;
    while (at < end && bytes[at] >= ZERO && bytes[at] <= NINE) at += 1;
    if (end - at < SHORTEST || bytes[at] !== QUOTE) return false;
    at += 1;
    this.style = -1;
    this.type = NUMBER;
    if (four(bytes, at) === STYLE) {
      let style = 0;
      if (bytes[at + 4] === QUOTE) return false;
      for (at += 4; at < end && bytes[at] >= ZERO && bytes[at] <= NINE; at += 1) style = style * 10 + bytes[at] - ZERO;
      if (end - at < SHORTEST || bytes[at] !== QUOTE) return false;
      at += 1;
      this.style = style;
    }
    if (four(bytes, at) === TYPE) {
      at += 4;
      if (bytes[at + 1] !== QUOTE) return this.#inline(bytes, at, end);
      if (bytes[at] === LETTER_S) this.type = SHARED;
      else if (bytes[at] !== LETTER_N) return false;
      at += 2;
    }
    if (four(bytes, at) !== VALUE) return false;
    at = this.#value(bytes, at + 4, end);
    if (end - at < 8 || four(bytes, at) !== VALUE_END || four(bytes, at + 4) !== CELL_END) return false;
    this.after = at + 8;
    return true;
  }

  #inline(bytes: Buffer, from: number, end: number): boolean {
    let at = from;
    if (end - at < INLINE.length + KEPT.length) return false;
    if (four(bytes, at) !== INLI || four(bytes, at + 4) !== NEST || four(bytes, at + 8) !== R_IS || four(bytes, at + 12) !== IS)
      return false;
    if (bytes[at + 16] !== LETTER_T) return false;
    at += INLINE.length;
    if (four(bytes, at) === XML) {
      if (four(bytes, at + 4) !== SPAC || four(bytes, at + 8) !== E_IS) return false;
      if (four(bytes, at + 12) !== PRES || four(bytes, at + 16) !== ERVE || bytes[at + 20] !== QUOTE) return false;
      at += KEPT.length;
    }
    if (bytes[at] !== GREATER) return false;
    this.type = STRING;
    at = this.#value(bytes, at + 1, end);
    if (end - at < 13 || four(bytes, at) !== TEXT_END || four(bytes, at + 4) !== IS_END || four(bytes, at + 8) !== CELL_CLOSE)
      return false;
    this.after = at + 13;
    return bytes[at + 12] === GREATER;
  }

  /** Takes the text up to the next tag; returns its offset, or `end` for a text that needs decoding or is not all there. */
  #value(bytes: Buffer, start: number, end: number): number {
    let at = start;
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === LESS) break;
      if (byte < SPACE || byte >= 0x80 || byte === AMPERSAND || byte === UNDERSCORE) return end;
    }
    this.start = start;
    this.end = at;
    return at;
  }
}

/** Four bytes as a number; 0 stands for what is beyond the end. */
function four(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}

function word(text: string): number {
  return four(Buffer.from(text), 0);
}
