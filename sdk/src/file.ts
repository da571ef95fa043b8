// The only file of the core that needs a file system: it is loaded when a path is opened.
import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Opened } from './opened.ts';

export async function openFile(source: string | URL): Promise<Opened> {
  const path = source instanceof URL ? fileURLToPath(source) : source;
  const found = await stat(path);
  if (!found.isFile()) throw new TypeError(`${path} is not a regular file: pass the path of one, or a stream of its bytes.`);
  await access(path, constants.R_OK);
  return { name: basename(path), size: found.size, replayable: true, open: () => createReadStream(path) };
}
