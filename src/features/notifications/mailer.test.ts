import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import pino from 'pino';
import { dataOf } from '../../../test/support/desk.ts';
import { decodeHeader, type ReceivedMail } from '../../../test/support/mail-server.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/db/database.ts';
import { housekeeping } from '../../worker.ts';
import { createMailer, startMailer } from './mailer.ts';
import { openMailDesk, PUBLIC_URL } from './testing/mail.ts';

const subjectOf = (mail: ReceivedMail | undefined): string => decodeHeader(mail?.headers.get('subject') ?? '');

test('notices by e-mail', async (t) => {
  await using desk = await openMailDesk();
  const { gateway, server } = desk;
  const newReader = async (change: object = {}, emails = ['ada@example.com']) => {
    const as = await desk.newHolder();
    dataOf(await desk.preferences(as, { emails, ...change }));
    return as;
  };
  /** Sends what is due and returns what arrived, with the subjects in the order of the recipients. */
  const arrived = async (): Promise<ReceivedMail[]> => {
    server.received.length = 0;
    await desk.send();
    return server.received.toSorted((a, b) => (a.to + subjectOf(a) < b.to + subjectOf(b) ? -1 : 1));
  };
  const waiting = (): Promise<{ notes: number; emails: number } | null> =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.one('select (select count(*)::int from alerts_to_mail) as notes, (select count(*)::int from emails) as emails'),
    );

  await t.test(
    'an alert of a chosen priority is one e-mail to each address, with its title and nothing of its message',
    async () => {
      const as = await newReader({}, ['ada@example.com', 'bob@example.com']);
      await desk.raise(as, { title: 'Harbor Ünïcode: waits', priority: 'CRITICAL', entity_id: 'deal_77' }, 'loan.mapping_needed');
      await desk.raise(as, { title: 'Not urgent', priority: 'MEDIUM' });
      await desk.raise(await desk.newHolder());
      const mails = await arrived();
      assert.deepEqual(
        mails.map((mail) => [mail.from, mail.to, subjectOf(mail)]),
        ['ada@example.com', 'bob@example.com'].map((to) => [
          'notices@platform.example',
          to,
          '[Sluice] CRITICAL: Harbor Ünïcode: waits',
        ]),
      );
      const text = mails[0]?.text ?? '';
      for (const part of ['Harbor Ünïcode: waits', 'loan.mapping_needed', 'deal_77', `${PUBLIC_URL}/console`])
        assert.ok(text.includes(part), text);
      assert.ok(!mails.some((mail) => mail.raw.includes('stays on the platform')));
      assert.notEqual(mails[0]?.headers.get('message-id'), mails[1]?.headers.get('message-id'));
      assert.deepEqual([await desk.send(), await waiting()], [0, { notes: 0, emails: 0 }]);
      const { addresses } = dataOf(await desk.preferences(as));
      assert.ok(
        addresses.every((each: { last_sent_at: string; last_error: null }) => each.last_sent_at && each.last_error === null),
      );
    },
  );

  await t.test('a title cannot add a header, hide its end or fill a subject', async () => {
    const as = await newReader();
    await desk.raise(as, { title: `Deal\r\nBcc: all@example.com\r\n\r\n\u202eevil ${'x'.repeat(500)}` });
    const [mail] = await arrived();
    assert.deepEqual([mail?.to, mail?.headers.has('bcc')], ['ada@example.com', false]);
    assert.match(subjectOf(mail), /^\[Sluice\] HIGH: Deal Bcc: all@example\.com evil x+…$/);
    assert.ok(subjectOf(mail).length < 200);
  });

  await t.test('nothing is sent when the alert is rolled back', async () => {
    const as = await newReader();
    const change = gateway.deps.db.tx({ platform: true }, async (tx) => {
      const { raiseAlert } = await import('../../events/emit.ts');
      const notice = {
        category: 'deal',
        priority: 'HIGH',
        title: 'T',
        message: 'M',
        entity_type: 'deal',
        entity_id: 'd',
      } as const;
      await raiseAlert(tx, as.organization_id, 'sc.failed', notice);
      throw new Error('the change failed');
    });
    await assert.rejects(change, /the change failed/);
    assert.deepEqual([await arrived(), await waiting()], [[], { notes: 0, emails: 0 }]);
  });

  await t.test('a type that is off, a priority that is not chosen and an address that was removed get nothing', async () => {
    const as = await newReader({ types: { 'sc.failed': false } }, ['ada@example.com', 'bob@example.com']);
    await desk.raise(as);
    assert.deepEqual(await waiting(), { notes: 0, emails: 0 });
    await desk.raise(as, {}, 'loan.checks_failed');
    dataOf(await desk.preferences(as, { types: { 'loan.checks_failed': false } }));
    assert.deepEqual(await arrived(), [], 'switched off between the alert and its e-mail');
    await desk.raise(as, {}, 'trigger.breached');
    dataOf(await desk.preferences(as, { emails: ['bob@example.com'] }));
    assert.deepEqual(
      (await arrived()).map((mail) => mail.to),
      ['bob@example.com'],
    );
    dataOf(await desk.preferences(as, { immediate: [] }));
    await desk.raise(as, {}, 'trigger.breached');
    assert.deepEqual(await arrived(), []);
  });

  await t.test(
    'a digest comes once a business day, lists what came since the last, and does not come when nothing did',
    async () => {
      const as = await newReader({ digest: 'DAILY', immediate: [] });
      const other = await newReader({ digest: 'DAILY', immediate: [] }, ['other@example.com']);
      await desk.toNextDigest();
      assert.deepEqual(await arrived(), []);
      await desk.raise(as, { title: 'Lesser', priority: 'LOW' });
      await desk.raise(as, { title: 'Greater', priority: 'HIGH' });
      assert.deepEqual(await arrived(), [], 'raised after the hour of this day');
      await gateway.advance(86_400);
      await desk.raise(as, { title: 'Of the next day' });
      const [digest, ...more] = await arrived();
      assert.deepEqual([digest?.to, subjectOf(digest), more], ['ada@example.com', '[Sluice] 2 alerts since the last digest', []]);
      const text = digest?.text ?? '';
      assert.ok(text.indexOf('HIGH: Greater') > 0 && text.indexOf('HIGH: Greater') < text.indexOf('LOW: Lesser'), text);
      assert.deepEqual(await arrived(), [], 'once a day');
      await gateway.advance(86_400);
      assert.match((await arrived())[0]?.text ?? '', /1 alert came.*\n.*\n.*HIGH: Of the next day/s);
      await desk.raise(other);
      await gateway.advance(86_400);
      assert.deepEqual(await arrived(), [], 'on a Saturday');
      await gateway.advance(86_400 * 2);
      assert.deepEqual(
        (await arrived()).map((mail) => mail.to),
        ['other@example.com'],
      );
    },
  );

  await t.test('a long digest counts what it does not list', async () => {
    const as = await newReader({ digest: 'DAILY', immediate: [] });
    await desk.toNextDigest();
    for (let index = 0; index < 103; index += 1) await desk.raise(as, { title: `Alert ${index}` });
    await gateway.advance(86_400);
    const [digest] = await arrived();
    assert.equal(subjectOf(digest), '[Sluice] 103 alerts since the last digest');
    assert.equal(digest?.text.match(/HIGH: Alert \d+/g)?.length, 100);
    assert.match(digest?.text ?? '', /and 3 more/);
  });

  await t.test('the link stops one topic to one address: a visit asks, a post does it', async () => {
    const as = await newReader({}, ['ada@example.com', 'bob@example.com']);
    await desk.raise(as);
    const [toAda] = await arrived();
    const [, link = ''] = /^<(.*)>$/.exec(toAda?.headers.get('list-unsubscribe') ?? '') ?? [];
    assert.ok(link.startsWith(`${PUBLIC_URL}/`) && toAda?.text.includes(link), link);
    assert.equal(toAda?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const path = link.slice(PUBLIC_URL.length);
    assert.ok(
      !Buffer.from(path.split('/').at(-1) ?? '', 'base64url')
        .toString()
        .includes('ada'),
      'it does not hold the address',
    );
    const visit = await gateway.call('GET', path);
    assert.deepEqual([visit.status, visit.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(visit.text, /sc\.failed.*<form method="post">/s);
    await desk.raise(as);
    assert.equal((await arrived()).length, 2, 'a visit stops nothing');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const count of [1, 2]) {
      const posted = await gateway.call('POST', path, { raw: 'List-Unsubscribe=One-Click', headers: form });
      assert.deepEqual([count, posted.status], [count, 200]);
    }
    await desk.raise(as);
    await desk.raise(as, { title: 'Another type' }, 'trigger.breached');
    assert.deepEqual(
      (await arrived()).map((mail) => [mail.to, subjectOf(mail)]),
      [
        ['ada@example.com', '[Sluice] HIGH: Another type'],
        ['bob@example.com', '[Sluice] HIGH: A title'],
        ['bob@example.com', '[Sluice] HIGH: Another type'],
      ],
    );
    const unsubscribed = async () =>
      dataOf(await desk.preferences(as)).addresses.map((each: { unsubscribed: string[] }) => each.unsubscribed);
    assert.deepEqual(await unsubscribed(), [['sc.failed'], []]);
    assert.equal(dataOf(await gateway.call('GET', '/v1/api/audit?action=notifications.unsubscribed', { as })).length, 1);
    dataOf(await desk.preferences(as, { emails: ['bob@example.com'] }));
    dataOf(await desk.preferences(as, { emails: ['bob@example.com', 'ada@example.com'] }));
    assert.deepEqual(await unsubscribed(), [[], []]);
    assert.equal((await gateway.call('POST', path, { raw: '', headers: form })).status, 200, 'of an address that was removed');
  });

  await t.test('the link of a digest stops digests', async () => {
    const as = await newReader({ digest: 'DAILY', immediate: [] });
    await desk.toNextDigest();
    await desk.raise(as);
    await gateway.advance(86_400);
    const [digest] = await arrived();
    const path = /https:\/\/platform\.example(\/unsubscribe\/\S+)/.exec(digest?.text ?? '')?.[1] ?? '';
    assert.equal((await gateway.call('POST', path)).status, 200);
    await desk.raise(as);
    await gateway.advance(86_400);
    assert.deepEqual(await arrived(), []);
  });

  await t.test('a link that was changed, is for another act or is not signed here does nothing', async () => {
    const { addresses } = gateway.deps;
    const expires = Date.now() + 60_000;
    const sign = (act: 'get' | 'unsubscribe', ids: string[], until = expires, generation = 1) =>
      addresses.sign({ act, ids, generation, expires: until });
    const good = sign('unsubscribe', ['org_x', 'nad_x', 'sc.failed']);
    const tokens = [
      'none',
      `${good}x`,
      `x${good}`,
      sign('get', ['org_x', 'nad_x', 'sc.failed']),
      sign('unsubscribe', ['org_x', 'nad_x', 'no.type']),
      sign('unsubscribe', ['org_x', 'nad_x']),
      sign('unsubscribe', ['org_x', 'nad_x', 'sc.failed', 'more']),
      sign('unsubscribe', ['org_x', 'nad_x', 'sc.failed'], expires, 2),
      sign('unsubscribe', ['org_x', 'nad_x', 'sc.failed'], Date.now() - 1),
    ];
    assert.equal((await gateway.call('POST', `/unsubscribe/${good}`)).status, 200);
    for (const token of tokens)
      for (const method of ['GET', 'POST']) {
        const refused = await gateway.call(method, `/unsubscribe/${token}`);
        assert.deepEqual([token, refused.status, refused.body.code], [token, 403, 'SIGNATURE_INVALID']);
      }
    assert.equal((await gateway.call('DELETE', `/unsubscribe/${good}`)).status, 405);
  });

  await t.test('a delay of the server is tried again later with the same Message-ID, and shown until it arrives', async () => {
    const as = await newReader();
    const ids: (string | undefined)[] = [];
    server.onMessage = (mail) => {
      ids.push(mail.headers.get('message-id'));
      return '451 4.3.0 greylisted';
    };
    await desk.raise(as);
    assert.equal(await desk.send(), 1);
    const lastError = async () => dataOf(await desk.preferences(as)).addresses[0].last_error;
    const { at, message, permanent } = await lastError();
    assert.ok(!Number.isNaN(Date.parse(at)));
    assert.deepEqual([message, permanent], ['The mail server did not take the e-mail yet: 451 4.3.0 greylisted', false]);
    assert.equal(await desk.send(), 0, 'not at once');
    server.onMessage = () => null;
    await gateway.advance(300);
    const [mail] = await arrived();
    assert.ok(ids[0]);
    assert.deepEqual([ids, await lastError()], [[mail?.headers.get('message-id')], null]);
  });

  await t.test('a refusal for good is shown at its address, and neither tried again nor in the way of others', async () => {
    const as = await newReader({}, ['ada@example.com', 'gone@example.com']);
    server.onRecipient = (address) => (address.startsWith('gone') ? '550 5.1.1 no such user' : null);
    await desk.raise(as);
    assert.deepEqual(
      (await arrived()).map((mail) => mail.to),
      ['ada@example.com'],
    );
    server.onRecipient = () => null;
    const [ada, gone] = dataOf(await desk.preferences(as)).addresses;
    assert.deepEqual([ada.last_error, gone.last_sent_at], [null, null]);
    assert.deepEqual(
      [gone.last_error.message, gone.last_error.permanent],
      ['The mail server refused the e-mail: 550 5.1.1 no such user', true],
    );
    await gateway.advance(7 * 86_400);
    assert.equal(await desk.send(), 0);
  });

  await t.test('an e-mail that the server puts off for a day is given up, and that is shown', async () => {
    const as = await newReader();
    server.onMessage = () => '451 not now';
    await desk.raise(as);
    for (let hour = 0; hour < 30; hour += 1) {
      await desk.send();
      await gateway.advance(3_600);
    }
    server.onMessage = () => null;
    const { last_error } = dataOf(await desk.preferences(as)).addresses[0];
    assert.match(last_error.message, /given up after a day/);
    assert.deepEqual([last_error.permanent, await desk.send(), await waiting()], [true, 0, { notes: 0, emails: 0 }]);
  });

  await t.test('two workers send an e-mail once, and no more at a time than they may', async () => {
    const emails = Array.from({ length: 20 }, (_, index) => `reader${index}@example.com`);
    const as = await newReader({}, emails);
    for (let index = 0; index < 3; index += 1) await desk.raise(as, { title: `Alert ${index}` });
    server.received.length = 0;
    await using one = createMailer(gateway.deps);
    await using two = createMailer(gateway.deps);
    const sent = await Promise.all([one.drain(), two.drain()]);
    assert.equal(sent[0] + sent[1], 60);
    assert.equal(new Set(server.received.map((mail) => mail.headers.get('message-id'))).size, 60);
    assert.equal(server.received.length, 60);
    assert.ok(server.mostAtOnce() <= 8, String(server.mostAtOnce()));
  });

  await t.test('a process that dies after sending makes it be sent once more under the same id, and no third time', async () => {
    const as = await newReader();
    await desk.raise(as);
    const died = () =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec(`update emails set claim_id = gen_random_uuid(), claims = claims + 1, lease_until = now() - interval '1 second'`),
      );
    const hold = () =>
      gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`update emails set due_at = sluice_now() + interval '1 hour'`));
    server.onMessage = async () => {
      await hold();
      return '451 the result is lost with the process';
    };
    await desk.send();
    server.onMessage = () => null;
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update emails set attempts = 0, claims = 0, due_at = sluice_now()'),
    );
    await died();
    assert.equal((await arrived()).length, 1, 'once more');
    await desk.raise(as);
    server.onMessage = () => '451 again';
    await desk.send();
    server.onMessage = () => null;
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update emails set attempts = 0, claims = 0, due_at = sluice_now()'),
    );
    await died();
    await died();
    assert.deepEqual(await arrived(), []);
    const { last_error } = dataOf(await desk.preferences(as)).addresses[0];
    assert.match(last_error.message, /ended twice in the middle/);
  });

  await t.test('a database that is away longer than a restart takes makes no e-mail be sent twice', async () => {
    const as = await newReader();
    await desk.raise(as);
    server.received.length = 0;
    const { db } = gateway.deps;
    let refusals = 5;
    const away: Database = {
      ...db,
      tx: (scope, work) => {
        if (server.received.length === 0 || refusals === 0) return db.tx(scope, work);
        refusals -= 1;
        return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
      },
    };
    await using mailer = createMailer({ ...gateway.deps, db: away });
    await mailer.drain().catch(() => {});
    assert.deepEqual([refusals, server.received.length], [0, 1]);
    await db.tx({ platform: true }, (tx) => tx.exec(`update emails set lease_until = now() - interval '1 second'`));
    assert.deepEqual(await arrived(), []);
    assert.deepEqual(await waiting(), { notes: 0, emails: 0 });
  });

  await t.test('many e-mails of one organization do not delay another’s', async () => {
    const many = await newReader(
      {},
      Array.from({ length: 20 }, (_, index) => `many${index}@example.com`),
    );
    for (let index = 0; index < 5; index += 1) await desk.raise(many);
    const few = await newReader({}, ['few@example.com']);
    await desk.raise(few);
    server.received.length = 0;
    await desk.send();
    assert.ok(server.received.findIndex((mail) => mail.to === 'few@example.com') < 8);
  });

  await t.test('alerts of events are sent too', async () => {
    const as = await newReader({ immediate: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] });
    assert.equal((await gateway.call('POST', '/v1/sandbox/events', { as, body: { event: 'trade.failed' } })).status, 201);
    assert.match((await arrived())[0]?.text ?? '', /trade\.failed/);
  });

  await t.test('a process that was started sends what is raised without being told', async () => {
    const as = await newReader();
    server.received.length = 0;
    await using mailer = startMailer(gateway.deps);
    assert.ok(mailer);
    await desk.raise(as);
    await until(() => server.received.length === 1);
  });

  await t.test('the operator’s alerts go to its own addresses', async () => {
    const operator = await gateway.key('operator', 'Platform');
    const put = { as: operator, body: { emails: ['desk@platform.example'] } };
    dataOf(await gateway.call('PUT', '/v1/operator/notification-preferences', put));
    await desk.raise(operator, { title: 'For the operator' });
    assert.deepEqual(
      (await arrived()).map((mail) => [mail.to, subjectOf(mail)]),
      [['desk@platform.example', '[Sluice] HIGH: For the operator']],
    );
  });
});

test('a mail server that cannot be reached keeps e-mails for later and says nothing about itself', async () => {
  await using desk = await openMailDesk();
  const as = await desk.newHolder();
  dataOf(await desk.preferences(as, { emails: ['ada@example.com'] }));
  await desk.raise(as);
  await desk.server[Symbol.asyncDispose]();
  assert.equal(await desk.send(), 1);
  const { last_error } = dataOf(await desk.preferences(as)).addresses[0];
  assert.deepEqual([last_error.message, last_error.permanent], ['The mail server of the platform could not be used.', false]);
});

test('the log of the operator says why the mail server cannot be used and which e-mails were given up, and names no reader', async () => {
  await using desk = await openMailDesk();
  const lines: string[] = [];
  const log = pino(new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }));
  await using mailer = createMailer({ ...desk.gateway.deps, log });
  const logged = async (): Promise<object[]> => {
    lines.length = 0;
    await mailer.drain();
    return lines.map((line) => {
      const { msg, outcome, reason } = JSON.parse(line) as Record<string, unknown>;
      return { msg, outcome, reason };
    });
  };
  const as = await desk.newHolder();
  dataOf(await desk.preferences(as, { emails: ['gone@example.com'] }));
  desk.server.onRecipient = (address) => `550 5.1.1 no such user ${address}`;
  await desk.raise(as);
  assert.deepEqual(await logged(), [{ msg: 'an e-mail was given up', outcome: 'refused', reason: 'RCPT TO 550' }]);
  await desk.raise(as);
  await desk.server[Symbol.asyncDispose]();
  const [unreachable, ...others] = await logged();
  assert.match(JSON.stringify(unreachable), /the mail server cannot be used.*ECONNREFUSED/);
  assert.equal(others.length, 0);
  assert.doesNotMatch(lines.join(), /gone@/);
});

test('without a public address e-mails have no link and say where the preferences are', async () => {
  await using desk = await openMailDesk({ SLUICE_PUBLIC_URL: '' });
  const as = await desk.newHolder();
  dataOf(await desk.preferences(as, { emails: ['ada@example.com'] }));
  await desk.raise(as);
  await desk.send();
  const [mail] = desk.server.received;
  assert.deepEqual([mail?.headers.has('list-unsubscribe'), mail?.headers.has('list-unsubscribe-post')], [false, false]);
  assert.doesNotMatch(mail?.text ?? '', /https?:/);
  assert.match(mail?.text ?? '', /notification preferences/);
});

test('while e-mail is off, what would be sent is forgotten after a week and never sent late', async () => {
  await using desk = await openMailDesk();
  const as = await desk.newHolder();
  dataOf(await desk.preferences(as, { emails: ['ada@example.com'], digest: 'DAILY' }));
  await desk.raise(as);
  const noted = () =>
    desk.gateway.deps.db.tx({ platform: true }, (tx) => tx.rows('select kind from alerts_to_mail order by kind'));
  assert.deepEqual(await noted(), [{ kind: 'ALERT' }, { kind: 'DIGEST' }]);
  await desk.gateway.advance(2 * 86_400);
  await desk.send();
  assert.deepEqual(
    desk.server.received.filter((mail) => !subjectOf(mail).includes('digest')),
    [],
    'two days late',
  );
  await desk.raise(as);
  await desk.gateway.advance(8 * 86_400);
  await housekeeping(desk.gateway.deps);
  assert.deepEqual(await noted(), []);
});

test('e-mails of a suspended organization wait, however long, and are sent once it is resumed', async () => {
  await using desk = await openMailDesk();
  const { gateway, server } = desk;
  const [as, operator] = [await desk.newHolder(), await gateway.key('operator', 'Platform')];
  dataOf(await desk.preferences(as, { emails: ['ada@example.com'] }));
  const put = async (act: 'suspend' | 'resume') => {
    const path = `/v1/operator/organizations/${as.organization_id}/${act}`;
    return dataOf(await gateway.call('POST', path, { as: operator, body: { reason: 'A review.' } }));
  };
  await put('suspend');
  await desk.raise(as, { title: 'Meanwhile' });
  assert.equal(await desk.send(), 0);
  const health = async () => dataOf(await gateway.call('GET', '/v1/operator/health', { as: operator })).emails;
  await gateway.advance(10 * 86_400);
  await housekeeping(gateway.deps);
  assert.deepEqual(await health(), { waiting: 0, running: 0, oldest_seconds: 0 }, 'nothing is late');
  await put('resume');
  assert.equal(await desk.send(), 1);
  assert.deepEqual(server.received.map(subjectOf), ['[Sluice] HIGH: Meanwhile']);
});
