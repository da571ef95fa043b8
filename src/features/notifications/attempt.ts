import type { Config } from '../../config.ts';
import type { Deps } from '../../platform/deps.ts';
import type { MailOutcome, SmtpClient } from '../../platform/net/smtp.ts';
import { compose } from './compose.ts';
import type { ClaimedEmail, EmailResult } from './mail-queries.ts';
import { retryIn } from './notification.ts';
import { unsubscribeToken } from './unsubscribe.ts';
import { UNSUBSCRIBE_PATH } from './unsubscribe-page.ts';

/** A claim that ended without a result may have sent the e-mail; after two of them nobody tries again. */
const MOST_CLAIMS_WITHOUT_RESULT = 2;

/** `cause` is for the operator: it names no reader. */
export type Attempted = {
  result: EmailResult;
  outcome: MailOutcome['result'] | 'interrupted' | 'empty';
  cause: string | null;
};

/** Attempts a claimed e-mail once; the caller records the result. */
export async function attemptEmail(
  deps: Deps,
  client: SmtpClient,
  mail: NonNullable<Config['mail']>,
  claimed: ClaimedEmail,
  claimId: string,
): Promise<Attempted> {
  const { email_id, organization_id, address_id } = claimed;
  const key = { email_id, address_id, claim_id: claimId, sent: false, error: null, permanent: false, retry_in_ms: null };
  if (claimed.claims - claimed.attempts > MOST_CLAIMS_WITHOUT_RESULT) {
    const error = 'The sending process ended twice in the middle of it: the e-mail may have arrived, or not.';
    return { result: { ...key, error, permanent: true }, outcome: 'interrupted', cause: null };
  }
  const { publicUrl } = deps.config.http;
  const outgoing = compose(claimed, mail.from, {
    publicUrl,
    unsubscribe: (topic) =>
      `${publicUrl}${UNSUBSCRIBE_PATH}${unsubscribeToken(deps, { organization_id, address_id, topic }, Date.now())}`,
  });
  if (!outgoing) return { result: key, outcome: 'empty', cause: null };
  const outcome = await client.send(outgoing);
  if (outcome.result === 'sent') return { result: { ...key, sent: true }, outcome: 'sent', cause: null };
  const retry_in_ms = outcome.result === 'refused' ? null : retryIn(claimed.attempts + 1, claimed.age_ms, Math.random());
  return {
    result: { ...key, error: errorText(outcome, retry_in_ms), permanent: retry_in_ms === null, retry_in_ms },
    outcome: outcome.result,
    cause: outcome.reason,
  };
}

/** Of the platform's own connection to its mail server customers learn nothing else. */
function errorText(outcome: Exclude<MailOutcome, { result: 'sent' }>, retryInMs: number | null): string {
  const what =
    outcome.result === 'unreachable'
      ? 'The mail server of the platform could not be used.'
      : `The mail server ${outcome.result === 'refused' ? 'refused the e-mail' : 'did not take the e-mail yet'}: ${outcome.reply ?? outcome.reason}`;
  return outcome.result !== 'refused' && retryInMs === null ? `${what} It was given up after a day of attempts.` : what;
}
