import { damagedWorkbook } from '../read-problem.ts';
import type { ZipArchive } from './zip.ts';

/** The bytes of an XML part as UTF-8 without a mark; parts in UTF-16 are recoded, other encodings refused. */
export async function* xmlChunks(zip: ZipArchive, part: string): AsyncGenerator<Buffer> {
  let recode: ((chunk: Buffer) => Buffer) | null = null;
  for await (const chunk of zip.chunks(part)) {
    if (recode === null) {
      recode = recoder(chunk, part);
      yield recode(chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk);
    } else yield recode(chunk);
  }
}

function recoder(first: Buffer, part: string): (chunk: Buffer) => Buffer {
  const wide = first[0] === 0xff && first[1] === 0xfe ? 'utf-16le' : first[0] === 0xfe && first[1] === 0xff ? 'utf-16be' : null;
  if (wide) {
    const decoder = new TextDecoder(wide);
    return (chunk) => Buffer.from(decoder.decode(chunk, { stream: true }));
  }
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding\s*=\s*["']([\w-]+)/i.exec(first.toString('latin1', 0, 200))?.[1];
  if (declared && !/^(utf-?8|us-ascii|ascii)$/i.test(declared))
    throw damagedWorkbook(`the part "${part}" is in the encoding ${declared}; UTF-8 and UTF-16 are read`);
  return (chunk) => chunk;
}
