export type {
  Call,
  CallArguments,
  CallOptions,
  Envelope,
  ItemOf,
  Method,
  PagedPath,
  PathOf,
  Paths,
  Reply,
  Schemas,
  Unwrapped,
} from './calls.ts';
export type { AlertOptions } from './alerts.ts';
export { type Clock, systemClock } from './clock.ts';
export { type FieldProblem, isErrorBody, SluiceError, type SluiceErrorCode } from './errors.ts';
export type { EventData, EventName, EventOptions, PlatformEvent } from './events.ts';
export type { PageArguments, PageOptions } from './pages.ts';
export type { SluiceOptions } from './settings.ts';
export { Sluice, type WaitArguments } from './sluice.ts';
export type { Source } from './source.ts';
export { TAPE_ENDINGS, tapeFormatOf } from './tape-format.ts';
export type { CheckedTape, StartedTape, UploadProgress, UploadTapeOptions } from './upload.ts';
export type { RecordOf, WaitOptions } from './wait.ts';
export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhooks/verify.ts';
