import { isUtf8 } from 'node:buffer';
import { damagedWorkbook } from '../read-problem.ts';

/** Largest size of one tag or one run of text; a cell has at most 32,767 characters. */
const TOKEN_BYTES_MAX = 1024 * 1024;

const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const COLON = 58;
const SINGLE = 39;
const DOUBLE = 34;

/**
 * Scans XML as bytes, in chunks that may end anywhere, and passes tags and texts to a subclass as offsets. Names come
 * without their prefix. There are no entities but the five of XML and character numbers; any DOCTYPE is refused, so nothing can be
 * defined, fetched or multiplied.
 */
export abstract class XmlScanner {
  protected bytes: Buffer = Buffer.alloc(0);
  /** Set by a subclass to receive texts. */
  protected wantsText = false;
  /** Set by a subclass to stop the scan. */
  protected stopped = false;
  readonly part: string;

  constructor(part: string) {
    this.part = part;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Lets a subclass consume a whole element at `less`: the offset after it, or 0 to scan it as usual. */
  protected shortcut(_less: number, _end: number): number {
    return 0;
  }

  /** A tag opens; its attributes are between `nameEnd` and `tagEnd`. */
  protected abstract open(nameStart: number, nameEnd: number, tagEnd: number, isEmpty: boolean): void;
  protected abstract close(nameStart: number, nameEnd: number): void;
  /** Text as it stands (`isLiteral`: from a CDATA section, without entities). */
  protected abstract text(start: number, end: number, isLiteral: boolean): void;

  feed(chunk: Buffer): void {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    const rest = this.#walk();
    this.bytes = this.bytes.subarray(rest);
    if (this.bytes.length > TOKEN_BYTES_MAX)
      throw damagedWorkbook(`"${this.part}" has a text or a tag of more than ${TOKEN_BYTES_MAX} bytes`);
  }

  /** Must be called at the end of the part: an unfinished tag is a cut file. */
  end(): void {
    if (!this.stopped && this.bytes.includes(LESS)) throw damagedWorkbook(`"${this.part}" ends within a tag`);
  }

  /** Returns the offset up to which everything is processed. */
  #walk(): number {
    const bytes = this.bytes;
    const end = bytes.length;
    let at = 0;
    while (!this.stopped) {
      let less = at;
      while (less < end && bytes[less] !== LESS) less += 1;
      if (less === end || less + 1 === end) return at;
      const beyond = this.shortcut(less, end);
      if (beyond > 0) {
        at = beyond;
        continue;
      }
      const next = bytes[less + 1];
      if (next === 33 || next === 63) {
        const after = this.#afterSpecial(at, less, end);
        if (after < 0) return at;
        at = after;
        continue;
      }
      const after = this.#tag(at, less, end);
      if (after < 0) return at;
      at = after;
    }
    return at;
  }

  /** Takes the tag at `less` and the text before it; returns the offset after it, or -1 when its end is in a later chunk. */
  #tag(textStart: number, less: number, end: number): number {
    const bytes = this.bytes;
    const isClosing = bytes[less + 1] === SLASH;
    let nameStart = isClosing ? less + 2 : less + 1;
    let nameEnd = nameStart;
    while (nameEnd < end && bytes[nameEnd] > 32 && bytes[nameEnd] !== GREATER && bytes[nameEnd] !== SLASH) {
      if (bytes[nameEnd] === COLON) nameStart = nameEnd + 1;
      nameEnd += 1;
    }
    const greater = this.#tagEnd(nameEnd, end);
    if (greater < 0) return -1;
    if (this.wantsText && less > textStart) this.text(textStart, less, false);
    if (isClosing) {
      this.close(nameStart, nameEnd);
      return greater + 1;
    }
    const isEmpty = bytes[greater - 1] === SLASH;
    this.open(nameStart, nameEnd, isEmpty ? greater - 1 : greater, isEmpty);
    if (isEmpty) this.close(nameStart, nameEnd);
    return greater + 1;
  }

  /** Offset of the `>` that ends a tag; one inside an attribute does not. */
  #tagEnd(from: number, end: number): number {
    const bytes = this.bytes;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === GREATER) return at;
      if (byte === DOUBLE || byte === SINGLE) {
        at += 1;
        while (at < end && bytes[at] !== byte) at += 1;
      }
    }
    return -1;
  }

  /** Comments, CDATA and instructions; returns the offset after them, or -1 when their end is in a later chunk. */
  #afterSpecial(textStart: number, less: number, end: number): number {
    const bytes = this.bytes;
    if (bytes[less + 1] === 63) return this.#after('?>', textStart, less, less);
    if (end - less < 9) return -1;
    const begins = bytes.toString('latin1', less, less + 9);
    if (begins.startsWith('<!--')) return this.#after('-->', textStart, less, less + 4);
    if (begins !== '<![CDATA[') throw damagedWorkbook(`"${this.part}" declares a document type, which no workbook needs`);
    const close = bytes.indexOf(']]>', less + 9, 'latin1');
    if (close < 0) return -1;
    if (this.wantsText && less > textStart) this.text(textStart, less, false);
    if (this.wantsText) this.text(less + 9, close, true);
    return close + 3;
  }

  #after(mark: string, textStart: number, less: number, from: number): number {
    const found = this.bytes.indexOf(mark, from, 'latin1');
    if (found < 0) return -1;
    if (this.wantsText && less > textStart) this.text(textStart, less, false);
    return found + mark.length;
  }

  /** Whether the name between two offsets is this one. */
  protected is(name: Uint8Array, start: number, end: number): boolean {
    if (end - start !== name.length) return false;
    for (let at = 0; at < name.length; at += 1) if (this.bytes[start + at] !== name[at]) return false;
    return true;
  }

  /** Value of an attribute of the tag between two offsets, or null. */
  protected attribute(name: string, from: number, tagEnd: number): string | null {
    return (
      new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
        .exec(this.bytes.toString('utf8', from, tagEnd))
        ?.slice(1)
        .find((text) => text !== undefined) ?? null
    );
  }

  /** Whether a text needs no decoding: ASCII without entities, returns and the underscore that may begin an escape. */
  protected isPlain(start: number, end: number): boolean {
    const bytes = this.bytes;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at];
      if (byte >= 0x80 || byte === 38 || byte === 13 || byte === 95) return false;
    }
    return true;
  }

  /** Bytes of a text with its entities resolved and its line ends as line feeds; valid UTF-8 whatever the file holds. */
  protected resolved(start: number, end: number, isLiteral: boolean): Buffer {
    const raw = this.bytes.subarray(start, end);
    if (!raw.includes(38) && !raw.includes(13) && isUtf8(raw)) return raw;
    const text = raw.toString('utf8').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
    return Buffer.from(isLiteral ? text : unescapeXml(text, this.part));
  }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Resolves the five entities of XML and character numbers; any other entity is refused. */
export function unescapeXml(text: string, part: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&]{0,12})(;?)/g, (whole, name: string, semicolon: string) => {
    const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : fromNumber(name);
    if (semicolon === '' || known === undefined) throw damagedWorkbook(`"${part}" uses the unknown entity ${whole}`);
    return known;
  });
}

function fromNumber(name: string): string | undefined {
  const match = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
  if (!match) return undefined;
  const code = match[1] ? Number.parseInt(match[1], 16) : Number(match[2]);
  if (code > 0x10ffff || code === 0 || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}

/** Characters that XML cannot hold are written `_xHHHH_` (ECMA-376 part 1, 22.9.2.19). */
export function withoutEscapes(bytes: Buffer): Buffer {
  if (!hasEscape(bytes)) return bytes;
  const text = bytes
    .toString('utf8')
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(text.toWellFormed());
}

function hasEscape(bytes: Buffer): boolean {
  for (let at = 0; at + 6 < bytes.length; at += 1) if (bytes[at] === 95 && bytes[at + 1] === 120) return true;
  return false;
}

export interface XmlTag {
  /** Without its prefix. */
  name: string;
  isClosing: boolean;
  attributes: Map<string, string>;
}

/** The tags of a small part, in order; attribute names without their prefix. */
export function* xmlTags(text: string, part: string): Generator<XmlTag> {
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) throw damagedWorkbook(`"${part}" declares a document type, which no workbook needs`);
  // One pass, whatever is in it: one expression for a whole tag would look for its end again from every `<`.
  for (let start = text.indexOf('<'); start >= 0; ) {
    const end = markupEnd(text, start);
    if (end < 0) throw damagedWorkbook(`"${part}" has a tag without an end`);
    const tag = /^<(\/?)(?:[\w.-]+:)?([\w.-]+)/.exec(text.slice(start, end));
    if (tag)
      yield { name: tag[2], isClosing: tag[1] === '/', attributes: attributesOf(text.slice(start + tag[0].length, end), part) };
    start = text.indexOf('<', end);
  }
}

/** Ends of what is no tag, by its beginning. */
const OTHERS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Where the tag or other markup that begins at a `<` ends, behind its `>`, which is not one in quotes; negative when it has no end. */
function markupEnd(text: string, start: number): number {
  const other = OTHERS.find(([beginning]) => text.startsWith(beginning, start));
  if (other) {
    const at = text.indexOf(other[1], start + other[0].length);
    return at < 0 ? at : at + other[1].length;
  }
  const next = /[>"']/g;
  next.lastIndex = start;
  for (;;) {
    const found = next.exec(text);
    if (!found) return -1;
    if (found[0] === '>') return next.lastIndex;
    const closing = text.indexOf(found[0], next.lastIndex);
    if (closing < 0) return -1;
    next.lastIndex = closing + 1;
  }
}

function attributesOf(text: string, part: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const match of text.matchAll(/(?<![\w.-])(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    found.set(match[1], unescapeXml(match[2] ?? match[3] ?? '', part));
  return found;
}
