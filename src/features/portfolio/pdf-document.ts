import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/* A paper document: tables that go on over pages under their head, and a foot on each page. Its fonts are embedded; nothing is loaded from outside. */

type Doc = PDFKit.PDFDocument;
type Face = 'regular' | 'bold';

const FONTS: Record<Face, string> = {
  regular: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
};
/** A4 on its side, in points. */
const PAGE = { width: 841.89, height: 595.28, margin: 40, foot: 28 };
const INK = { text: '#1a1f26', quiet: '#5b6673', line: '#c9d0d8', shade: '#f2f4f7', bar: '#2f5d8a', pale: '#9fb6cc' };
const CELL = { size: 7, leastSize: 4, padding: 3, gap: 6 };

/** Most characters of a name as it is printed: one that the fonts lack takes eight of them. */
const NAME_MAX = 250;

/** Writing systems that are set from left to right, a letter after the other, as these fonts do. */
const SET_AS_WRITTEN = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]$/u;

export type Column<Row> = {
  /** Of one line, or of two. */
  title: string;
  width: number;
  /** Text stands left and is broken into lines; figures stand right and never are: one that is too wide is set smaller. */
  kind: 'text' | 'figure';
  cell(row: Row): string;
  total?: string;
};

export type About = { title: string; author: string; at: Date };

/** Opens a document, whose bytes follow from what is drawn and from `about` alone. */
export async function openPdf({ title, author, at }: About): Promise<PdfDocument> {
  // Loaded when the first document is made: most processes make none.
  const [{ default: PDFDocument }, fontkit, regular, bold] = await Promise.all([
    import('pdfkit'),
    import('fontkit'),
    readFont('regular'),
    readFont('bold'),
  ]);
  const fonts = [regular, bold].map((bytes) => fontkit.create(bytes));
  const has = (codePoint: number): boolean =>
    fonts.every((font) => 'hasGlyphForCodePoint' in font && font.hasGlyphForCodePoint(codePoint));
  const doc = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: PAGE.margin,
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    font: '',
    info: { Title: title, Author: author, Creator: 'Sluice', Producer: 'Sluice', CreationDate: at },
  });
  doc.registerFont('regular', regular);
  doc.registerFont('bold', bold);
  return new PdfDocument(doc, has);
}

const readFont = (face: Face): Promise<Buffer> => readFile(fileURLToPath(import.meta.resolve(FONTS[face])));

export class PdfDocument {
  readonly #doc: Doc;
  readonly #has: (codePoint: number) => boolean;
  #replaced = false;
  #shortened = false;

  constructor(doc: Doc, has: (codePoint: number) => boolean) {
    this.#doc = doc;
    this.#has = has;
    this.#doc.font('regular').fontSize(CELL.size).fillColor(INK.text);
  }

  static readonly width = PAGE.width - 2 * PAGE.margin;

  /** True once a text had a character that the fonts lack: it is written by its number, as `[U+6F22]`. */
  get hasReplaced(): boolean {
    return this.#replaced;
  }

  /** True once a name was shortened. */
  get hasShortened(): boolean {
    return this.#shortened;
  }

  /** A name as it is printed, shortened where it would take too many characters: a row has to fit on a page. */
  name(text: string): string {
    const printed = this.#printable(text);
    if (printed.length <= NAME_MAX) return printed;
    this.#shortened = true;
    return `${printed.slice(0, NAME_MAX).replace(/\[[^\]]*$/, '')}…`;
  }

  /** A text as the fonts can set it. */
  #printable(text: string): string {
    return Array.from(text.normalize('NFC').replace(/\s+/g, ' '), (char) => {
      const codePoint = char.codePointAt(0) ?? 0;
      if (SET_AS_WRITTEN.test(char) && !/\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}/u.test(char) && this.#has(codePoint)) return char;
      this.#replaced = true;
      return `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`;
    }).join('');
  }

  get y(): number {
    return this.#doc.y;
  }

  set y(value: number) {
    this.#doc.y = value;
  }

  /** A paragraph across the page, or the part of it that is named; returns where it ends. */
  text(
    text: string,
    { size = 9, face = 'regular', quiet = false, x = 0, width = PdfDocument.width - x }: TextStyle = {},
  ): number {
    this.#style(face, size, quiet ? INK.quiet : INK.text);
    this.#doc.text(this.#printable(text), PAGE.margin + x, this.#doc.y, { width });
    return this.#doc.y;
  }

  heading(text: string): void {
    // A heading stands with the head of its table and a row or two.
    if (this.#doc.y > this.#bottom() - 70) this.#turn();
    this.#doc.y += 10;
    this.text(text, { size: 11, face: 'bold' });
    this.#doc.y += 3;
  }

  /** Names and figures, a line each; a line that begins a new block has a rule above it. Returns where it ends. */
  figures(lines: readonly FigureLine[], { x = 0, width }: { x?: number; width: number }): number {
    const size = 9;
    for (const { name, value, strong = false } of lines) {
      const face = strong ? 'bold' : 'regular';
      const y = this.#doc.y;
      if (strong) this.#rule(PAGE.margin + x, y - 2, width, INK.quiet);
      this.#style(face, size, INK.text);
      this.#line(this.#printable(name), PAGE.margin + x, y);
      this.#rightLine(this.#printable(value), PAGE.margin + x + width, y);
      this.#doc.y = y + size + 6;
    }
    return this.#doc.y;
  }

  /** Bars over their names, the last one in the full colour, with their amounts on top. */
  bars(
    bars: readonly { name: string; value: number; label: string }[],
    at: { x: number; y: number; width: number; height: number },
  ): void {
    const [left, top] = [PAGE.margin + at.x, at.y];
    const [head, foot] = [12, 12];
    const most = Math.max(...bars.map((each) => each.value), 0);
    const base = top + at.height - foot;
    const slot = at.width / 12;
    this.#rule(left, base, at.width, INK.quiet);
    for (const [index, { name, value, label }] of bars.entries()) {
      const height = most > 0 ? (Math.max(value, 0) / most) * (at.height - head - foot) : 0;
      const x = left + index * slot;
      this.#doc.rect(x + slot * 0.14, base - height, slot * 0.72, height).fill(index === bars.length - 1 ? INK.bar : INK.pale);
      this.#style('regular', 6, INK.quiet);
      this.#middle(name, x + slot / 2, base + 4);
      this.#middle(label, x + slot / 2, base - height - 9);
    }
  }

  /** A table; its head is repeated on each page that it goes on to. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], { empty }: { empty: string }): void {
    if (rows.length === 0) return void this.text(empty, { quiet: true });
    this.#head(columns);
    for (const row of rows) {
      this.#row(
        columns,
        columns.map((column) => column.cell(row)),
      );
    }
    if (columns.every((column) => column.total === undefined)) return;
    this.#row(
      columns,
      columns.map((column) => column.total ?? ''),
      'bold',
    );
  }

  #head<Row>(columns: readonly Column<Row>[]): void {
    const y = this.#doc.y;
    const lines = columns.map(({ title }) => title.split('\n'));
    const most = Math.max(...lines.map((each) => each.length));
    const height = most * (CELL.size + 1.5) + 2 * CELL.padding;
    this.#doc.rect(PAGE.margin, y, PdfDocument.width, height).fill(INK.shade);
    this.#style('bold', CELL.size, INK.text);
    let x = PAGE.margin;
    for (const [index, { width, kind }] of columns.entries()) {
      for (const [place, line] of (lines[index] ?? []).entries()) {
        const top = y + CELL.padding + place * (CELL.size + 1.5);
        if (kind === 'figure') this.#rightLine(line, x + width, top);
        else this.#line(line, x, top);
      }
      x += width + CELL.gap;
    }
    this.#doc.y = y + height + 1;
  }

  #row<Row>(columns: readonly Column<Row>[], cells: readonly string[], face: Face = 'regular'): void {
    const texts = cells.map((cell) => this.#printable(cell));
    this.#style(face, CELL.size, INK.text);
    const heights = columns.map(({ kind, width }, index) =>
      kind === 'text' ? this.#doc.heightOfString(texts[index] || ' ', { width }) : CELL.size + 1.5,
    );
    const height = Math.max(...heights) + 2 * CELL.padding;
    if (this.#doc.y + height > this.#bottom()) {
      this.#turn();
      this.#head(columns);
      this.#style(face, CELL.size, INK.text);
    }
    const y = this.#doc.y;
    if (face === 'bold') this.#rule(PAGE.margin, y, PdfDocument.width, INK.quiet);
    let x = PAGE.margin;
    for (const [index, { width, kind }] of columns.entries()) {
      this.#style(face, CELL.size, INK.text);
      const text = texts[index] ?? '';
      if (kind === 'text') this.#doc.text(text, x, y + CELL.padding, { width });
      else this.#figure(text, x, y + CELL.padding, width);
      x += width + CELL.gap;
    }
    this.#doc.y = y + height;
    if (face === 'regular') this.#rule(PAGE.margin, this.#doc.y, PdfDocument.width, INK.line);
  }

  /** A figure in the right of its cell, in a size in which all of it has room. */
  #figure(text: string, x: number, y: number, width: number): void {
    const full = this.#doc.widthOfString(text);
    if (full > width) this.#doc.fontSize(Math.max(CELL.leastSize, (CELL.size * width) / full));
    this.#rightLine(text, x + width, y);
  }

  /** Ends the document: with the foot on every page. */
  async bytes(foot: string): Promise<Buffer> {
    const { count } = this.#doc.bufferedPageRange();
    const text = this.#printable(foot);
    for (let page = 0; page < count; page += 1) {
      this.#doc.switchToPage(page);
      // The foot stands in the margin, where text would otherwise begin a page of its own.
      this.#doc.page.margins.bottom = 0;
      this.#style('regular', 7, INK.quiet);
      const y = PAGE.height - PAGE.foot;
      const number = `page ${page + 1} of ${count}`;
      this.#rightLine(number, PAGE.width - PAGE.margin, y);
      const room = PdfDocument.width - this.#doc.widthOfString(number) - CELL.gap;
      this.#doc.fontSize(Math.min(CELL.size, (CELL.size * room) / this.#doc.widthOfString(text)));
      this.#line(text, PAGE.margin, y);
    }
    this.#doc.end();
    return buffer(this.#doc);
  }

  #bottom(): number {
    return PAGE.height - PAGE.margin;
  }

  #turn(): void {
    this.#doc.addPage();
    this.#doc.y = PAGE.margin;
  }

  #style(face: Face, size: number, colour: string): void {
    this.#doc.font(face).fontSize(size).fillColor(colour);
  }

  #line(text: string, x: number, y: number): void {
    this.#doc.text(text, x, y, { lineBreak: false });
  }

  #rightLine(text: string, right: number, y: number): void {
    this.#line(text, right - this.#doc.widthOfString(text), y);
  }

  #middle(text: string, x: number, y: number): void {
    this.#line(text, x - this.#doc.widthOfString(text) / 2, y);
  }

  #rule(x: number, y: number, width: number, colour: string): void {
    this.#doc
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.5)
      .stroke(colour);
  }
}

type TextStyle = { size?: number; face?: Face; quiet?: boolean; x?: number; width?: number };
export type FigureLine = { name: string; value: string; strong?: boolean };
