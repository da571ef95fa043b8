import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Gateway, type Holder, startGateway } from '../../../../test/support/gateway.ts';
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts';
import { isBusinessDay } from '../../../finance/calendar.ts';
import { addDays, weekday } from '../../../finance/dates.ts';
import { raiseAlert } from '../../../events/emit.ts';
import type { AlertType, Notice } from '../../../events/events.ts';
import { createMailer } from '../mailer.ts';

export const PUBLIC_URL = 'https://platform.example';

export type MailDesk = AsyncDisposable & {
  gateway: Gateway;
  server: MailServer;
  newHolder(): Promise<Holder>;
  /** Reads or changes the preferences of the holder's organization. */
  preferences(as: Holder, change?: object): ReturnType<Gateway['call']>;
  raise(as: Holder, notice?: Partial<Notice>, type?: AlertType): Promise<void>;
  /** Makes and sends what is due; how many attempts that were. */
  send(): Promise<number>;
  /** Moves the clock to noon of a Wednesday, when the digests of the day have become due, in a week without a holiday. */
  toNextDigest(): Promise<void>;
};

const WEDNESDAY = 3;

/** Whether it is a Wednesday before which Tuesday, and after which Thursday, Friday and Monday, are business days too. */
const isWednesdayOfAWholeWeek = (day: string): boolean =>
  weekday(day) === WEDNESDAY && [-1, 0, 1, 2, 5].every((days) => isBusinessDay('US_FED', addDays(day, days)));

/** A gateway with a mail server on this machine. */
export async function openMailDesk(settings: Record<string, string> = {}): Promise<MailDesk> {
  const server = await startMailServer();
  const gateway = await startGateway({
    SLUICE_SMTP_URL: server.url,
    SLUICE_SMTP_FROM: 'Sluice <notices@platform.example>',
    SLUICE_PUBLIC_URL: PUBLIC_URL,
    ...settings,
  });
  const notice: Notice = {
    category: 'deal',
    priority: 'HIGH',
    title: 'A title',
    message: 'A message that stays on the platform',
    entity_type: 'deal',
    entity_id: 'deal_1',
  };
  return {
    gateway,
    server,
    newHolder: () => gateway.key('both', `House ${randomUUID()}`),
    preferences: async (as, change) => {
      const path = '/v1/api/notification-preferences';
      const answer = await (change ? gateway.call('PUT', path, { as, body: change }) : gateway.call('GET', path, { as }));
      if (!change) assert.equal(answer.status, 200, answer.text);
      return answer;
    },
    raise: (as, given = {}, type = 'sc.failed') =>
      gateway.deps.db.tx({ platform: true }, (tx) => raiseAlert(tx, as.organization_id, type, { ...notice, ...given })),
    send: async () => {
      await using mailer = createMailer(gateway.deps, { timeoutMs: 5_000 });
      return await mailer.drain();
    },
    toNextDigest: () =>
      gateway.deps.db.tx({ platform: true }, async (tx) => {
        let day = addDays(tx.now.toISOString().slice(0, 10), 2);
        while (!isWednesdayOfAWholeWeek(day)) day = addDays(day, 1);
        await tx.exec(
          `update platform_clock set advanced = advanced + ($1::date + time '12:00') at time zone 'America/New_York' - sluice_now()`,
          [day],
        );
      }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
