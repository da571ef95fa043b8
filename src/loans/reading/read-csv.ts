import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CanonicalWriter } from './canonical-writer.ts';
import { type CsvDialect, CsvScanner } from './csv-scanner.ts';
import { detectDialect } from './csv-dialect.ts';
import { refuseForeign, refuseMarkup, refusePacked } from './file-kind.ts';
import type { RawTable, ReadBytes, ReadLimits } from './raw-table.ts';
import { TapeProblem } from './read-problem.ts';
import { type RowSink, TableBuilder } from './table-builder.ts';
import { oneColumn } from './table-report.ts';
import { fileBytes, gzipBytes, type TapeBytes } from './tape-bytes.ts';
import { detectText, type TextSource, toUtf8, utf8Chunks } from './text-source.ts';

/** A CSV file, as it is or packed with gzip. */
export interface CsvFile {
  path: string;
  isGzip: boolean;
}

/** Reads a CSV file into a raw table; throws a TapeProblem if it cannot be read as one. */
export async function readCsv(
  file: CsvFile,
  workDir: string,
  limits: ReadLimits,
  signal?: AbortSignal,
  onBytes?: ReadBytes,
  totals?: ReadonlySet<number>,
): Promise<RawTable> {
  const opened = await openCsv(file, limits, false);
  await using writer = await CanonicalWriter.create(join(workDir, 'canonical.csv'));
  const builder = csvBuilder(writer, limits, totals);
  const scanner = new CsvScanner(opened.dialect, limits);
  if (opened.skipDirective) builder.notices.add(directiveNotice());
  if (opened.dialect.delimiter === ' ') builder.notices.add(blankNotice());
  reportEncoding(builder, opened.text);
  for await (const chunk of utf8Chunks(opened.bytes, opened.text, signal, (done) => {
    // How much of a packed file is left is not known.
    if (opened.size !== null) onBytes?.(done, opened.size);
  })) {
    scanner.feed(chunk);
    addRows(scanner, builder, opened);
    await writer.flush();
  }
  scanner.end();
  addRows(scanner, builder, opened);
  const { formats: _, unitCounts: __, ...built } = await builder.finish(() => writer.flushed());
  await writer.flush(true);
  if (built.columns.length === 1)
    builder.notices.add(oneColumn(built.columns[0].name, opened.dialect.delimiter, built.headerLine));
  const { list, counts } = builder.notices;
  const described = { format: 'csv', encoding: opened.text.encoding, delimiter: opened.dialect.delimiter } as const;
  return { csvPaths: writer.paths, ...built, ...described, notices: list, noticeCounts: counts };
}

/** Reads only the beginning of a CSV file into `sink`. */
export async function probeCsv(file: CsvFile, sink: RowSink, limits: ReadLimits): Promise<TableBuilder> {
  const opened = await openCsv(file, limits, true);
  const builder = csvBuilder(sink, limits);
  const scanner = new CsvScanner(opened.dialect, limits);
  scanner.feed(opened.sample);
  if (opened.sampleIsWhole) scanner.end();
  addRows(scanner, builder, opened);
  if (opened.sampleIsWhole) await builder.finish(async () => null);
  else builder.decideHeader();
  return builder;
}

interface OpenedCsv {
  bytes: TapeBytes;
  /** Bytes of the text, or null where they are packed. */
  size: number | null;
  text: TextSource;
  dialect: CsvDialect;
  /** The beginning of the text in UTF-8. */
  sample: Buffer;
  sampleIsWhole: boolean;
  skipDirective: boolean;
}

async function openCsv({ path, isGzip }: CsvFile, limits: ReadLimits, sampleOnly: boolean): Promise<OpenedCsv> {
  const { size } = await stat(path);
  if (size > limits.maxBytes)
    throw new TapeProblem(
      'TOO_LARGE',
      `The file has ${size} bytes; a CSV tape may have ${limits.maxBytes}. Split it into several tapes.`,
    );
  const bytes = isGzip ? gzipBytes(path, limits) : fileBytes(path);
  const { bytes: raw, isWhole } = await bytes.sample();
  if (raw.length === 0) throw new TapeProblem('EMPTY_FILE', 'The gzip file is empty. Pack the tape again and send it.');
  if (isGzip) refusePacked(raw);
  refuseForeign(raw);
  const text = await detectText(bytes, sampleOnly);
  const sample = toUtf8(raw, text);
  refuseMarkup(sample.toString());
  const dialect = detectDialect(sample, limits, isWhole);
  const skipDirective = /^sep=.\r?(\n|$)/i.test(sample.toString('latin1', 0, 8));
  return { bytes, size: isGzip ? null : size, text, dialect, sample, sampleIsWhole: isWhole, skipDirective };
}

function csvBuilder(sink: RowSink, limits: ReadLimits, totals?: ReadonlySet<number>): TableBuilder {
  return new TableBuilder(sink, { limits, totals, shortRowsAreWhole: false, lineWord: 'line' });
}

function addRows(scanner: CsvScanner, builder: TableBuilder, opened: OpenedCsv): void {
  while (scanner.next()) {
    if (opened.skipDirective && scanner.row.line === 1) continue;
    builder.add(scanner.row);
  }
}

function directiveNotice() {
  const message = 'The first line declares the delimiter for a spreadsheet; it was applied and is not a loan.';
  return { code: 'BANNER_LINES', severity: 'WARNING', line: 1, message } as const;
}

function blankNotice() {
  const message =
    'No comma, semicolon, tab or vertical bar delimits the values: they are single blanks apart, and the file was read so. A value that holds a blank must be quoted; if columns look wrong, save the file with commas.';
  return { code: 'BLANK_DELIMITED', severity: 'WARNING', message, actual: 'blank', expected: 'comma' } as const;
}

function reportEncoding(builder: TableBuilder, text: TextSource): void {
  if (text.brokenBytes) {
    const message =
      'Some bytes of the file are not valid UTF-8, unlike the rest; each was read as the replacement character U+FFFD.';
    builder.notices.add({ code: 'INVALID_TEXT', severity: 'WARNING', message, expected: 'UTF-8' });
  }
  const { oddAccent } = text;
  if (text.encoding === 'utf-8') {
    if (oddAccent === undefined) return;
    const message = `Accents look wrong, such as "${oddAccent}" within a word: a text in UTF-8 was taken for Windows-1252 and encoded once more. The words are kept as they are; write the file anew, or once only, as UTF-8.`;
    builder.notices.add({ code: 'INVALID_TEXT', severity: 'WARNING', message, actual: oddAccent, expected: 'UTF-8' });
    return;
  }
  const odd =
    oddAccent === undefined
      ? ''
      : ` Accents look wrong, such as "${oddAccent}" within a word: the file most likely has another encoding (Mac Roman, CP850). Save it as UTF-8 and send it again.`;
  const message = `The file is not UTF-8; it was read as ${ENCODING_NAMES[text.encoding]}.${odd}`;
  builder.notices.add({ code: 'ENCODING_DETECTED', severity: 'WARNING', message, actual: text.encoding, expected: 'utf-8' });
}

const ENCODING_NAMES: Readonly<Record<TextSource['encoding'], string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
  shift_jis: 'Shift_JIS',
};
