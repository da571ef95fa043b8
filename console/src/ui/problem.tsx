import { Alert, Anchor, Button, Group, List, Text } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { ApiFailure, STALE } from '../app/api.ts';
import { SIGNED_OUT, signInAddress } from '../app/session.ts';
import { Copy } from './format.tsx';

const REFUSED = 403;
/** What passes by itself, so that the same again can help. */
const PASSING = [0, 408, 429, 500, 502, 503, 504];
/** The first attempt has not ended: the next one gets its answer. */
const STILL_RUNNING = 'IDEMPOTENCY_IN_PROGRESS';
const passes = ({ status, code }: ApiFailure): boolean => PASSING.includes(status) || code === STILL_RUNNING;

const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure ? error : new ApiFailure(0, { message: error instanceof Error ? error.message : String(error) });

/** Of a page, where the gateway speaks to programs. */
const SENTENCES: Readonly<Record<number, string>> = {
  [STALE]: 'Somebody else changed it after this page had read it, so nothing was saved or done: see the newer version first.',
  [SIGNED_OUT]: 'The session had ended, so nothing was saved or done.',
};

const titleOf = ({ status }: ApiFailure): string => {
  if (status === SIGNED_OUT) return 'You were signed out';
  if (status === REFUSED) return 'You may not do this';
  return 'That did not work';
};

/** What went wrong, and what to do. `retry` is offered where trying again can help, after the time that the gateway names. */
export function Problem({
  error,
  retry,
  signInHere = false,
}: {
  error: unknown;
  retry?: () => void;
  /** Where nothing would be lost with this page; else in another tab. */
  signInHere?: boolean;
}): ReactNode {
  const failure = asFailure(error);
  const left = useCountdown(failure);
  return (
    <Alert color="red" title={titleOf(failure)} role="alert" p="sm">
      <Text size="sm">{SENTENCES[failure.status] ?? failure.message}</Text>
      {failure.fields.length > 0 && (
        <List size="sm" mt="xs">
          {failure.fields.map((each) => (
            <List.Item key={`${each.field} ${each.message}`}>
              <b>{each.field}</b>: {each.message}
            </List.Item>
          ))}
        </List>
      )}
      <Group mt="xs" gap="md">
        {failure.status === SIGNED_OUT && (
          <Anchor
            size="sm"
            href={signInAddress(location.pathname + location.search)}
            {...(signInHere ? {} : { target: '_blank', rel: 'noopener' })}
          >
            Sign in again
          </Anchor>
        )}
        {failure.status === STALE && (
          <Anchor size="sm" href={location.href} target="_blank" rel="noopener">
            Look at it in another tab
          </Anchor>
        )}
        {retry && passes(failure) && (
          <Button size="compact-sm" variant="default" disabled={left > 0} onClick={retry}>
            {left > 0 ? `Try again in ${left} s` : 'Try again'}
          </Button>
        )}
        {failure.requestId && (
          <Text size="xs" component="div">
            {failure.code}, request <span className="id">{failure.requestId}</span>{' '}
            <Copy value={failure.requestId} what="the id of the request" />
          </Text>
        )}
      </Group>
    </Alert>
  );
}

function useCountdown(failure: ApiFailure): number {
  const [left, setLeft] = useState(failure.retryAfter ?? 0);
  useEffect(() => setLeft(failure.retryAfter ?? 0), [failure]);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
}
