import { EVENT_DESCRIPTIONS } from './events/descriptions.ts';
import { EVENT_NAMES, EVENTS } from './events/events.ts';
import { SAMPLES } from './events/samples.ts';
import { EXAMPLE_VALUES, EXAMPLE_WORDS } from './example-values.ts';
import { openApi } from './platform/http/openapi.ts';
import type { Json } from './platform/http/openapi-components.ts';
import type { WebhookMessage } from './platform/http/openapi-webhooks.ts';
import type { Route } from './platform/http/route.ts';
import { neededScopes } from './scopes.ts';
import { TAGS } from './tags.ts';

/** Every event as the message that receivers get. */
const MESSAGES: readonly WebhookMessage[] = EVENT_NAMES.map((event) => ({
  event,
  description: EVENT_DESCRIPTIONS[event],
  data: { ...EVENTS[event] },
  sample: SAMPLES[event],
}));

/** The OpenAPI description of these routes, with the chapters and the webhook messages of the platform. */
export const describeApi = (routes: readonly Route[]): Json =>
  openApi(routes, { tags: TAGS, messages: MESSAGES, known: { values: EXAMPLE_VALUES, words: EXAMPLE_WORDS }, neededScopes });

/** The same, made at its first use, because it takes longer than the rest of a start. */
export function describerOf(routes: readonly Route[]): () => Json {
  let description: Json | undefined;
  return () => (description ??= describeApi(routes));
}
