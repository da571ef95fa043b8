import type { Sluice } from 'sluice-sdk';
import { VERSION } from '../../version.ts';
import { notice } from '../notice.ts';
import type { Settings } from './account/settings.ts';
import type { Method } from './catalogue/operation.ts';
import { CommandFailure, tellLost } from './failure.ts';

export type Call = { path?: object; query?: object; headers?: Record<string, string>; body?: unknown };

/** The client, for operations that are known by the catalogue and not by types. */
export type Connection = {
  settings: Settings;
  sluice: Sluice;
  signal: AbortSignal;
  call(method: Method, path: string, call: Call): Promise<unknown>;
  pages(path: string, call: Call): AsyncIterable<unknown>;
  waitFor(path: string, call: Call, onRead: (record: unknown) => void): Promise<unknown>;
  /** The type of the last response. */
  contentType(): string;
};

const RETRIES = 3;

/** The package is built by `npm ci`; an installation without development packages lacks it, and its gateway does not need it. */
export async function loadClient(): Promise<typeof import('sluice-sdk')> {
  try {
    return await import('sluice-sdk');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new CommandFailure(
      'the client commands are not built in this installation: npm ci builds them, and npm prune --omit=dev leaves them',
    );
  }
}

export async function connect(settings: Settings, signal: AbortSignal): Promise<Connection> {
  const { Sluice } = await loadClient();
  let contentType = '';
  const sluice = new Sluice({
    url: settings.url,
    key: settings.key,
    retries: RETRIES,
    fetch: async (request) => {
      request.headers.set('user-agent', `sluice-cli/${VERSION}`);
      const response = await fetch(request);
      contentType = response.headers.get('content-type') ?? '';
      const wait = response.headers.get('retry-after');
      if ([429, 503].includes(response.status) && wait)
        notice(`the gateway responded with ${response.status} and asks to wait ${wait} s`);
      return response;
    },
  });
  const init = ({ path, query, headers, body }: Call) => ({
    params: { ...(path && { path }), ...(query && { query }) },
    ...(headers && { headers }),
    ...(body === undefined ? {} : { body }),
    signal,
  });
  // The catalogue is made from the description that types these functions by path.
  const calls = sluice as unknown as Record<Method, (path: string, init: object) => Promise<unknown>> & {
    pages(path: string, init: object): AsyncIterable<unknown>;
    waitFor(path: string, init: object): Promise<unknown>;
  };
  return {
    settings,
    sluice,
    signal,
    call: (method, path, call) => calls[method](path, init(call)),
    pages: (path, call) => calls.pages(path, { ...init(call), onLost: tellLost }),
    waitFor: (path, call, onRead) => calls.waitFor(path, { ...init(call), onRead, onLost: tellLost }),
    contentType: () => contentType,
  };
}
