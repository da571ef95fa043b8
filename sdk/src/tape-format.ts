import type { Schemas } from './calls.ts';

/** The format that the ending of a tape's name tells, in any case of its letters; null for any other ending. */
export function tapeFormatOf(fileName: string): Schemas['TapeFormat'] | null {
  const name = fileName.toLowerCase();
  if (/\.(csv|tsv|txt)(\.gz)?$/.test(name)) return 'text/csv';
  if (name.endsWith('.xlsx')) return 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  if (name.endsWith('.parquet')) return 'application/vnd.apache.parquet';
  return null;
}

/** The endings that tell a format, for messages. */
export const TAPE_ENDINGS = '.csv, .csv.gz, .txt, .tsv, .xlsx or .parquet';
