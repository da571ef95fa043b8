import { loadClient } from './connection.ts';

/** The error of a request that got no response, or not the whole of one, as the package makes it for all others. */
async function lostConnection(what: string, cause: unknown): Promise<Error> {
  const { SluiceError } = await loadClient();
  return new SluiceError(`${what}: ${reasonOf(cause)}`, { status: 0, code: 'NETWORK_ERROR', cause });
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error && cause.cause.message ? `${cause.message}: ${cause.cause.message}` : cause.message;
}

/** Asks a signed address. It opens what it names to everybody, so that no message has more of it than its server. */
export async function askSigned(what: string, address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    throw await lostConnection(`${what} ${new URL(address).origin}: no response`, error);
  }
}

/** The bytes of a response, which end with the error of the connection where it is lost within them. */
export async function* wholeOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw await lostConnection('the file broke off', error);
  }
}
