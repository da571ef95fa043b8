import { constants, readFileSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { CommandFailure, EXIT, unreadable } from './failure.ts';

/** The bytes of a file, or of standard input as 0. */
export function readLocal(file: string | 0): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unreadable(file === 0 ? 'standard input' : file, error);
  }
}

/** Refuses what is no file that can be read: its error would come in the middle of a request, as one of the connection. */
export async function requireFile(file: string): Promise<void> {
  const fail = (error: unknown): never => {
    throw unreadable(file, error);
  };
  const found = await stat(file).catch(fail);
  if (!found.isFile()) {
    const kind = found.isDirectory() ? 'a directory; name a file in it' : 'no regular file; copy it to one';
    throw new CommandFailure(`${file} cannot be read: it is ${kind}`, EXIT.usage);
  }
  await access(file, constants.R_OK).catch(fail);
}
