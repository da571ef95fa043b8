import { loadClient } from './connection.ts';
import { CommandFailure, exitCodeOf } from './failure.ts';

/** How much of a body that is not one of the API's is shown. */
const LONGEST_BODY = 200;

/** What to do about a status that does not come from the gateway but from something in front of it. */
function remedyOf(status: number): string {
  if (status === 401 || status === 403) return 'the address may have expired: run the command again';
  if (status === 413) return 'the file is larger than what stands in front of the gateway lets through';
  if (status === 429 || status >= 500) return 'run the command again later';
  return 'check the address, and what stands in front of the gateway';
}

/** The error of a signed address that refused: the gateway's own words where it is its response, else the status and what to do. */
export async function refusalOf(what: string, response: Response, address: string): Promise<Error> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  const { isErrorBody, SluiceError } = await loadClient();
  const body = parsed(text);
  if (isErrorBody(body)) {
    return new SluiceError(`${what} was refused: ${body.message}`, {
      status,
      code: body.code,
      requestId: body.request_id,
      docUrl: body.doc_url ?? null,
      body,
    });
  }
  // What stands in front of the gateway may repeat the signed path, which opens what it names to everybody.
  const told = text.replaceAll(new URL(address).pathname, '…').replaceAll(/\s+/g, ' ').trim();
  const shown = told.length > LONGEST_BODY ? `${told.slice(0, LONGEST_BODY)}…` : told;
  return new CommandFailure(
    `${what} was refused with status ${status}: ${remedyOf(status)}${shown === '' ? '' : ` (the response begins: ${shown})`}`,
    exitCodeOf(status),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
