// The only file of the core that needs a file system: it is loaded when a path is opened.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Opened } from './source.ts';

export async function openFile(source: string | URL): Promise<Opened> {
  const path = source instanceof URL ? fileURLToPath(source) : source;
  const { size } = await stat(path);
  return { name: basename(path), size, replayable: true, open: () => createReadStream(path) };
}
