import type { Client } from 'openapi-fetch';
import type { paths } from './generated/api.ts';
import { type AlertOptions, alertsOf } from './alerts.ts';
import type { Call, CallArguments, ItemOf, Method, PagedPath, PathOf, Schemas } from './calls.ts';
import { type Connection, connect, type Init } from './connection.ts';
import { type EventOptions, eventsOf, type PlatformEvent } from './events.ts';
import { type PageArguments, pagesOf } from './pages.ts';
import { settingsOf, type SluiceOptions } from './settings.ts';
import type { Source } from './source.ts';
import { checkedTape, type CheckedTape, type StartedTape, startTape, type UploadTapeOptions } from './upload.ts';
import { type RecordOf, waitFor, type WaitOptions } from './wait.ts';

/** The arguments of `waitFor`: what the path needs, and how to wait. */
export type WaitArguments<P extends PathOf<'get'>> =
  CallArguments<P, 'get', undefined> extends [options?: infer Options]
    ? [options?: Options & WaitOptions<RecordOf<P>>]
    : CallArguments<P, 'get', undefined> extends [options: infer Options]
      ? [options: Options & WaitOptions<RecordOf<P>>]
      : never;

/**
 * A client of one gateway with one key. GET requests, and POST and PATCH requests with the `Idempotency-Key` that the client makes for
 * them, are sent again after 502, 503, 504, a lost connection or a timeout; every request after 429. Amounts, dates and units are
 * those of the API: see the description of each field.
 */
export class Sluice {
  readonly #connection: Connection;

  /** `GET` by path: `sluice.get('/v1/api/originator/loans/{dealId}', { params: { path: { dealId } } })`. */
  readonly get: Call<'get'>;
  /** `POST` by path. Each call has an `Idempotency-Key` of its own unless `params.header` names one. */
  readonly post: Call<'post'>;
  /** `PUT` by path. */
  readonly put: Call<'put'>;
  /** `PATCH` by path. */
  readonly patch: Call<'patch'>;
  /** `DELETE` by path. */
  readonly delete: Call<'delete'>;

  constructor(options: SluiceOptions = {}) {
    this.#connection = connect(settingsOf(options));
    this.get = this.#call('get');
    this.post = this.#call('post');
    this.put = this.#call('put');
    this.patch = this.#call('patch');
    this.delete = this.#call('delete');
  }

  /** The client of openapi-fetch underneath, with the same key, retries and timeout: `{data, error, response}`, headers included; nothing is thrown for an error of the API. */
  get client(): Client<paths> {
    return this.#connection.client;
  }

  /** Every record of a list, page after page: `for await (const deal of sluice.pages('/v1/api/originator/loans'))`. Each loop begins anew. */
  pages<P extends PagedPath>(path: P, ...[options]: PageArguments<P>): AsyncIterable<ItemOf<P>> {
    return { [Symbol.asyncIterator]: () => pagesOf(this.#connection, path, { ...options }) };
  }

  /** The log of events, oldest first; with `follow`, on and on. Each loop begins behind `after`. */
  events(options: EventOptions = {}): AsyncIterable<PlatformEvent> {
    return { [Symbol.asyncIterator]: () => eventsOf(this.#connection, options) };
  }

  /** The alerts as they are raised, without an end. Alerts that are raised while the connection is lost come when it is made again, once there is an alert to go on behind. */
  alerts(options: AlertOptions = {}): AsyncIterable<Schemas['Alert']> {
    return { [Symbol.asyncIterator]: () => alertsOf(this.#connection, options) };
  }

  /** Reads a job, a deal, a calculation or any other record until it is finished, and resolves to it, whether it succeeded or FAILED. */
  waitFor<P extends PathOf<'get'>>(path: P, ...[options]: WaitArguments<P>): Promise<RecordOf<P>> {
    const { until, onRead, onLost, timeout, ...call } = { ...options } as WaitOptions<RecordOf<P>> & Init;
    // The rest of the options are those of the call.
    return waitFor(this.#connection, path, call as Parameters<typeof waitFor<P>>[2], {
      ...(until && { until }),
      ...(onRead && { onRead }),
      ...(onLost && { onLost }),
      ...(timeout !== undefined && { timeout }),
    });
  }

  /**
   * Uploads a loan tape as a stream, completes it and waits for its checks. Bytes are read as they are sent; a path, bytes and a Blob are
   * sent again after a lost connection, a stream is not.
   */
  uploadTape(source: Source, options: UploadTapeOptions & { wait: false }): Promise<StartedTape>;
  uploadTape(source: Source, options: UploadTapeOptions & { wait?: true }): Promise<CheckedTape>;
  async uploadTape(source: Source, options: UploadTapeOptions): Promise<StartedTape | CheckedTape> {
    const started = await startTape(this.#connection, source, options);
    return options.wait === false ? started : await checkedTape(this.#connection, started, options);
  }

  #call<M extends Method>(method: M): Call<M> {
    const call = async (path: string, init?: Init): Promise<unknown> => {
      const { body } = await this.#connection.request(method, path, init);
      return unwrapped(body);
    };
    // `Call` says for each path what the description says of its options and its response.
    return call as Call<M>;
  }
}

function unwrapped(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('success' in body)) return body;
  const { success: _success, ...rest } = body;
  return 'data' in rest && Object.keys(rest).length === 1 ? rest.data : rest;
}
