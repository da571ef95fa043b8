import type { Route } from '../platform/http/route.ts';

/** A request of the API, without the key. */
export type ApiRequest = {
  method: Route['method'];
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: unknown;
};

export type ApiResponse = { status: number; headers: Headers; text: string };

/** Sends a request with the key of the one who called the tool; throws when no response arrives. */
export type CallApi = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;
