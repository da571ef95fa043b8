import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { notice } from '../../notice.ts';
import { CommandFailure, EXIT, unwritable } from '../failure.ts';
import { wholeOf } from '../lost-connection.ts';
import { safeLines } from './safe-text.ts';

const TEXT = /^(text\/|application\/(json|x-ndjson))/;

/** A file to `-o FILE`, complete or not at all, or to standard output; nothing that is not text goes to a terminal. */
export async function writeBytes(
  bytes: ReadableStream<Uint8Array>,
  contentType: string,
  file: string | undefined,
): Promise<void> {
  if (file !== undefined && file !== '-') return await toFile(bytes, file);
  if (process.stdout.isTTY && !TEXT.test(contentType)) {
    await bytes.cancel();
    throw new CommandFailure(`this is a file (${contentType}), not text for a terminal: add -o FILE`, EXIT.usage);
  }
  const decoder = new TextDecoder();
  for await (const chunk of wholeOf(bytes))
    await written(process.stdout.isTTY ? safeLines(decoder.decode(chunk, { stream: true }).replaceAll('\r\n', '\n')) : chunk);
}

const written = (chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(chunk, (error) => (error ? reject(error) : resolve())));

async function toFile(bytes: ReadableStream<Uint8Array>, file: string): Promise<void> {
  const partial = `${file}.${process.pid}.part`;
  try {
    await pipeline(wholeOf(bytes), createWriteStream(partial, { flags: 'wx' }));
    await rename(partial, file);
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await rm(partial, { force: true });
  }
  notice(`wrote ${file}`);
}
