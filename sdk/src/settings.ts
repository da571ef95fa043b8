import { type Clock, systemClock } from './clock.ts';

/** What a client is made with. */
export type SluiceOptions = {
  /** Address of the gateway, such as `https://sluice.example.com`. Without it, `SLUICE_URL` of the environment. */
  url?: string;
  /** API key. Without it, `SLUICE_KEY` of the environment; without either, requests carry none. */
  key?: string;
  /** Sends the requests, in place of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** How often a request is sent again at most; 4 unless said otherwise, 0 for never. */
  retries?: number;
  /** Milliseconds for each attempt, body of a JSON response included; 60,000 unless said otherwise. Files and streams: until their headers. */
  timeout?: number;
  /** Time and chance; for tests. */
  clock?: Clock;
};

export type Settings = {
  url: string;
  key: string | null;
  fetch: (request: Request) => Promise<Response>;
  retries: number;
  timeoutMs: number;
  clock: Clock;
};

const RETRIES = 4;
const TIMEOUT_MS = 60_000;

export function settingsOf(options: SluiceOptions): Settings {
  const url = options.url ?? fromEnvironment('SLUICE_URL');
  if (!url)
    throw new TypeError('The address of the gateway is missing: pass `url`, such as http://127.0.0.1:8080, or set SLUICE_URL.');
  // `localhost:8080` is a URL, of the scheme localhost.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(
      `The address of the gateway is not a URL of http or https: ${JSON.stringify(url)}; expected one such as http://127.0.0.1:8080.`,
    );
  return {
    url,
    key: options.key ?? fromEnvironment('SLUICE_KEY') ?? null,
    fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
    retries: natural('retries', options.retries ?? RETRIES),
    timeoutMs: natural('timeout', options.timeout ?? TIMEOUT_MS, 1),
    clock: options.clock ?? systemClock,
  };
}

function natural(name: string, value: number, least = 0): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new TypeError(`\`${name}\` is ${value}; expected an integer from ${least} up.`);
}

/** A runtime without an environment, or one that does not let the program read it, has no such setting. */
function fromEnvironment(name: string): string | undefined {
  try {
    return globalThis.process?.env[name] || undefined;
  } catch {
    return undefined;
  }
}
