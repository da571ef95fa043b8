import { type FileHandle, open } from 'node:fs/promises';
import { TapeProblem } from '../../loans/reading/read-problem.ts';
import { readDirectory } from '../../loans/reading/xlsx/zip-directory.ts';
import { CSV, XLSX } from '../../platform/files/content-types.ts';

export const DOCUMENT_TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: XLSX,
  csv: CSV,
};

const HEAD_BYTES = 64 * 1024;

/** Why the content of a file does not match its extension; null when it does. Reads only the head and the directory of the file. */
export async function findTypeMismatch(path: string, extension: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(HEAD_BYTES, size)), 0, Math.min(HEAD_BYTES, size), 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.length === 0) return 'the file is empty';
    switch (extension) {
      case 'pdf':
        return startsWith(head, '%PDF-') ? null : 'it does not start as a PDF';
      case 'png':
        return head.subarray(0, 8).equals(PNG) ? null : 'it does not start as a PNG image';
      case 'jpg':
      case 'jpeg':
        return head.subarray(0, 3).equals(JPEG) ? null : 'it does not start as a JPEG image';
      case 'docx':
        return officeMismatch(head, await entryNames(file), 'word/document.xml', 'a Word document');
      case 'xlsx':
        return officeMismatch(head, await entryNames(file), 'xl/workbook.xml', 'an Excel workbook');
      default:
        return textMismatch(head, bytesRead < size);
    }
  } finally {
    await file.close();
  }
}

/** Names of the parts of an archive, without unpacking it; none when the archive is damaged. */
async function entryNames(file: FileHandle): Promise<string[]> {
  try {
    return (await readDirectory(file)).map((entry) => entry.name);
  } catch (error) {
    if (error instanceof TapeProblem) return [];
    throw error;
  }
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const MACROS = /(^|\/)vbaProject\.bin$/i;

/** A macro-enabled file needs an extension of its own; under this one it is refused. */
function officeMismatch(head: Buffer, names: readonly string[], part: string, what: string): string | null {
  if (!startsWith(head, 'PK\u0003\u0004') || !names.includes('[Content_Types].xml') || !names.includes(part))
    return `it is not ${what}`;
  return names.some((name) => MACROS.test(name)) ? 'it holds macros' : null;
}

/** Whether the content can be a table in text form: no control characters, no markup or program at its start. */
function textMismatch(head: Buffer, more: boolean): string | null {
  if (
    startsWith(head, 'MZ') ||
    startsWith(head, '%PDF-') ||
    startsWith(head, 'PK\u0003\u0004') ||
    startsWith(head, '\u007fELF')
  ) {
    return 'it is a program or another document, not text';
  }
  const text = decode(head, more);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused here.
  if (/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text)) return 'it has bytes that text cannot have';
  return /^\s*<(?:!doctype|html|script|svg|\?xml|body|iframe)/i.test(text) ? 'it is markup, not a table' : null;
}

/** UTF-16 if it has a byte order mark; otherwise bytes as they are, since Windows code pages are text too. */
function decode(head: Buffer, more: boolean): string {
  const utf16 = head[0] === 0xff && head[1] === 0xfe;
  if (utf16) return head.toString('utf16le', 2, head.length - (more ? head.length % 2 : 0));
  return head.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
}

const startsWith = (head: Buffer, text: string): boolean => head.subarray(0, text.length).equals(Buffer.from(text, 'latin1'));
