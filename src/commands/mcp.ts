import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { ROUTES } from '../app.ts';
import { ConfigError } from '../config.ts';
import { describerOf } from '../description.ts';
import type { CallApi } from '../mcp/api.ts';
import type { ToolUser } from '../mcp/catalog.ts';
import { connectChecked } from '../mcp/check-params.ts';
import { createMcpServer } from '../mcp/server.ts';
import { DEFAULT_SETS, readSets } from '../mcp/tool-sets.ts';
import { CommandFailure, EXIT, exitCodeOf } from './client/failure.ts';

type Options = { url: string; key: string; allowWrites: boolean; tools?: string; notice(line: string): void };

const CALL_TIMEOUT_MS = 120_000;
const NO_MESSAGE =
  'A line is no message of JSON-RPC: send an object with jsonrpc "2.0", an id, a method and params as an object.';
/** How long calls that were received before the end of the input may take. */
const LAST_CALLS_MS = 30_000;

/**
 * Serves the API of a gateway on standard input and output until the input ends. Nothing else is written to standard output: it is the
 * protocol's.
 */
export async function mcp({ url, key, allowWrites, tools, notice }: Options): Promise<void> {
  const sets = tools === undefined ? DEFAULT_SETS : readSets(tools, ROUTES);
  if (typeof sets === 'string') throw new ConfigError(`--tools: ${sets}`);
  const callApi = overHttp(url, key);
  const user = await whoIs(callApi, url);
  const open = new OpenCalls();
  const server = createMcpServer({
    describeApi: describerOf(ROUTES),
    routes: ROUTES,
    user,
    writes: allowWrites,
    sets,
    callApi: (request, signal) => open.during(callApi(request, signal)),
    onDefect: (error) => notice(`sluice: a tool call failed: ${(error as Error).stack}`),
  });
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  server.onerror = (error) => notice(`sluice: ${error.message}`);
  const ended = once(process.stdin, 'end');
  const transport = new StdioServerTransport();
  await connectChecked(server, transport);
  answerUnreadable(transport, notice);
  notice(`sluice serves ${url} as ${user.role}, ${allowWrites ? 'with operations that change records' : 'read-only'}`);
  const isWhole = await Promise.race([ended.then(() => true), closed.then(() => false)]);
  await open.settled();
  await server.close();
  if (!isWhole) throw new Error('the input was given up before its end');
}

/** Answers a line that is no message, as over HTTP: the protocol's package tells only its reader's errors, and who sent it would wait. */
function answerUnreadable(transport: StdioServerTransport, notice: Options['notice']): void {
  const others = transport.onerror;
  transport.onerror = (error) => {
    const refusal = refusalOf(error);
    if (refusal === null) return others?.(error);
    notice(`sluice: ${refusal.message}`);
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: refusal })}\n`);
  };
}

function refusalOf(error: Error): { code: number; message: string } | null {
  if (error instanceof SyntaxError)
    return { code: ErrorCode.ParseError, message: `A line is no JSON: send one message a line. ${error.message}` };
  if (error.name === 'ZodError') return { code: ErrorCode.InvalidRequest, message: NO_MESSAGE };
  return null;
}

/** Calls that have no response yet. */
class OpenCalls {
  readonly #calls = new Set<Promise<unknown>>();

  async during<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls.add(call);
    return call.finally(() => this.#calls.delete(call));
  }

  /** Resolves when none is left, or when they take too long. */
  async settled(): Promise<void> {
    const timer = new AbortController();
    const most = sleep(LAST_CALLS_MS, undefined, { signal: timer.signal }).catch(() => {});
    // A message that was just read has not become a call yet, and the result of a call not yet a message.
    do await sleep(20);
    while (this.#calls.size > 0 && (await Promise.race([Promise.allSettled(this.#calls), most])) !== undefined);
    timer.abort();
  }
}

function overHttp(url: string, key: string): CallApi {
  const base = url.replace(/\/+$/, '');
  return async ({ method, path, headers, body }, signal) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A key goes to the gateway alone.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
    }).catch((error: unknown) => {
      throw new CommandFailure(`no response from ${url}: ${reasonOf(error)}`, EXIT.unavailable);
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: Error };
  return cause?.message || message;
};

/** The holder of the key; throws what the gateway says of a key that it refuses. */
async function whoIs(callApi: CallApi, url: string): Promise<ToolUser> {
  const { status, text } = await callApi({ method: 'GET', path: '/v1/api/me', headers: {} }, new AbortController().signal);
  const { data, message } = readReply(text);
  // A gateway from before there were scopes has none.
  if (status === 200 && data) return { ...data, scopes: data.scopes ?? null };
  throw new CommandFailure(`${url} responded with ${status}: ${message ?? 'it is no gateway'}`, exitCodeOf(status));
}

type Reply = { data?: Omit<ToolUser, 'scopes'> & Partial<Pick<ToolUser, 'scopes'>>; message?: string };

function readReply(text: string): Reply {
  try {
    return JSON.parse(text) as Reply;
  } catch {
    return {};
  }
}
