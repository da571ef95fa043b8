import type { ParamsOption, ParseAs, ParseAsResponse, RequestBodyOption } from 'openapi-fetch';
import type { components, paths } from './generated/api.ts';

/** Every named schema of the API, by its name: `Schemas['Deal']`. */
export type Schemas = components['schemas'];
export type { paths as Paths };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];

type OperationOf<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;

/** What a call is sent with: `params` (`path`, `query`, `header`), `body`, and how its response is read. */
export type CallOptions<P extends keyof paths, M extends Method> = ParamsOption<OperationOf<P, M>> &
  RequestBodyOption<OperationOf<P, M>> & {
    /** Further headers of the request. */
    headers?: Record<string, string>;
    /** Ends the call, its retries and its waits; it rejects with the signal's reason. */
    signal?: AbortSignal | null;
  };

type Reading<As extends ParseAs | undefined> = {
  /** How the body is read. Without it, JSON is parsed and anything else is a stream of bytes. */
  parseAs?: As;
};

/** The last argument of a call: optional where nothing in it is required. */
export type CallArguments<P extends keyof paths, M extends Method, As extends ParseAs | undefined> =
  // oxlint-disable-next-line typescript/no-empty-object-type -- the type that every optional part fits.
  {} extends CallOptions<P, M> ? [options?: CallOptions<P, M> & Reading<As>] : [options: CallOptions<P, M> & Reading<As>];

type ContentOf<O> = O extends { responses: infer R } ? R[keyof R & (200 | 201 | 202)] : never;
/** The JSON of an envelope; JSON that is a file has no type. */
type JsonIn<R> = R extends { content: { 'application/json': infer Json } } ? (unknown extends Json ? never : Json) : never;
type BytesIn<R> = R extends { content: infer Content }
  ? Exclude<keyof Content, 'application/json'> extends never
    ? never
    : ReadableStream<Uint8Array>
  : never;

/** The JSON body of a success, with its envelope. */
export type Envelope<P extends keyof paths, M extends Method> = JsonIn<ContentOf<OperationOf<P, M>>>;

/** What is in an envelope: its `data` where that is all, else everything beside `success`, such as `{data, pagination}`. */
export type Unwrapped<E> = E extends { data: infer Data }
  ? Exclude<keyof E, 'success' | 'data'> extends never
    ? Data
    : Omit<E, 'success'>
  : Omit<E, 'success'>;

/** What a call resolves to. */
export type Reply<P extends keyof paths, M extends Method, As extends ParseAs | undefined = undefined> = As extends ParseAs
  ? As extends 'json'
    ? Unwrapped<Envelope<P, M>>
    : ParseAsResponse<unknown, { parseAs: As }>
  : Unwrapped<Envelope<P, M>> | BytesIn<ContentOf<OperationOf<P, M>>>;

/**
 * A call of any operation with the method, by its path as the description writes it. Resolves to the data of the response: without its
 * envelope where that has nothing else, a list as `{data, pagination}`, a file as a stream of bytes. Rejects with a `SluiceError`.
 */
export type Call<M extends Method> = <P extends PathOf<M>, As extends ParseAs | undefined = undefined>(
  path: P,
  ...options: CallArguments<P, M, As>
) => Promise<Reply<P, M, As>>;

type ListEnvelope = { data: readonly unknown[] } & (
  | { pagination: { next_cursor: string | null } }
  | { meta: { next_cursor: string | null } }
);

/** The paths of the lists that are read page by page. */
export type PagedPath = { [P in PathOf<'get'>]: Envelope<P, 'get'> extends ListEnvelope ? P : never }[PathOf<'get'>];

/** One record of a list. */
export type ItemOf<P extends PagedPath> = Envelope<P, 'get'> extends { data: readonly (infer Item)[] } ? Item : never;
