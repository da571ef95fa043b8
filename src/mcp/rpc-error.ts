import { type ApiError, type ErrorCode, envelope } from '../platform/http/errors.ts';

/** Codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

const CODES: Partial<Record<ErrorCode, number>> = {
  MALFORMED_JSON: PARSE_ERROR,
  BAD_REQUEST: INVALID_REQUEST,
  VALIDATION_FAILED: INVALID_REQUEST,
  UNKNOWN_PARAMETER: INVALID_REQUEST,
  UNSUPPORTED_MEDIA_TYPE: INVALID_REQUEST,
  PAYLOAD_TOO_LARGE: INVALID_REQUEST,
};

/** An error in the terms of JSON-RPC: what the API's envelope says of it is its `data`. */
export function rpcError(error: ApiError, requestId: string, page: string | null): Record<string, unknown> {
  const { success: _success, message, ...data } = envelope(error, requestId, page);
  return { jsonrpc: '2.0', id: null, error: { code: CODES[error.code] ?? SERVER_ERROR, message, data } };
}
