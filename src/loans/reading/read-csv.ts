import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CanonicalWriter } from './canonical-writer.ts';
import { type CsvDialect, CsvScanner } from './csv-scanner.ts';
import { detectDialect } from './csv-dialect.ts';
import type { RawTable, ReadBytes, ReadLimits } from './raw-table.ts';
import { TapeProblem } from './read-problem.ts';
import { type RowSink, TableBuilder } from './table-builder.ts';
import { detectText, foreignFormat, readSample, type TextSource, toUtf8, utf8Chunks } from './text-source.ts';

/** Reads a CSV file into a raw table; throws a TapeProblem if it cannot be read as one. */
export async function readCsv(
  path: string,
  workDir: string,
  limits: ReadLimits,
  signal?: AbortSignal,
  onBytes?: ReadBytes,
): Promise<RawTable> {
  const opened = await openCsv(path, limits, false);
  const csvPath = join(workDir, 'canonical.csv');
  await using writer = await CanonicalWriter.create(csvPath);
  const builder = csvBuilder(writer, limits);
  const scanner = new CsvScanner(opened.dialect, limits);
  if (opened.skipDirective) builder.notices.add(directiveNotice());
  reportEncoding(builder, opened.text);
  for await (const chunk of utf8Chunks(path, opened.text, signal, (done) => onBytes?.(done, opened.size))) {
    scanner.feed(chunk);
    addRows(scanner, builder, opened);
    await writer.flush();
  }
  scanner.end();
  addRows(scanner, builder, opened);
  const { formats: _, ...built } = await builder.finish(async () => {
    await writer.flush(true);
    return csvPath;
  });
  await writer.flush(true);
  const { list, counts } = builder.notices;
  const described = { format: 'csv', encoding: opened.text.encoding, delimiter: opened.dialect.delimiter } as const;
  return { csvPath, ...built, ...described, notices: list, noticeCounts: counts };
}

/** Reads only the beginning of a CSV file into `sink`. */
export async function probeCsv(path: string, sink: RowSink, limits: ReadLimits): Promise<TableBuilder> {
  const opened = await openCsv(path, limits, true);
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
  /** Bytes of the file. */
  size: number;
  text: TextSource;
  dialect: CsvDialect;
  /** The beginning of the text in UTF-8. */
  sample: Buffer;
  sampleIsWhole: boolean;
  skipDirective: boolean;
}

async function openCsv(path: string, limits: ReadLimits, sampleOnly: boolean): Promise<OpenedCsv> {
  const { size } = await stat(path);
  if (size === 0) throw new TapeProblem('EMPTY_FILE', 'The file has 0 bytes. Upload the tape again.');
  if (size > limits.maxBytes)
    throw new TapeProblem(
      'TOO_LARGE',
      `The file has ${size} bytes; a CSV tape may have ${limits.maxBytes}. Split it into several tapes.`,
    );
  await using file = await open(path);
  const raw = await readSample(file);
  const foreign = foreignFormat(raw);
  if (foreign)
    throw new TapeProblem(
      'UNREADABLE_FILE',
      `The file is ${foreign}, where a CSV file was expected. Send CSV text, or state the workbook format when initiating the upload.`,
    );
  const text = await detectText(path, sampleOnly);
  const sampleIsWhole = raw.length >= size;
  const sample = toUtf8(raw, text);
  const dialect = detectDialect(sample, limits, sampleIsWhole);
  return { size, text, dialect, sample, sampleIsWhole, skipDirective: /^sep=.\r?(\n|$)/i.test(sample.toString('latin1', 0, 8)) };
}

function csvBuilder(sink: RowSink, limits: ReadLimits): TableBuilder {
  return new TableBuilder(sink, { limits, shortRowsAreWhole: false, lineWord: 'line' });
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

function reportEncoding(builder: TableBuilder, text: TextSource): void {
  if (text.brokenBytes) {
    const message =
      'Some bytes of the file are not valid UTF-8, unlike the rest; each was read as the replacement character U+FFFD.';
    builder.notices.add({ code: 'INVALID_TEXT', severity: 'WARNING', message, expected: 'UTF-8' });
  }
  if (text.encoding === 'utf-8') return;
  const message = `The file is not UTF-8; it was read as ${text.encoding === 'windows-1252' ? 'Windows-1252' : 'UTF-16'}.`;
  builder.notices.add({ code: 'ENCODING_DETECTED', severity: 'WARNING', message, actual: text.encoding, expected: 'utf-8' });
}
