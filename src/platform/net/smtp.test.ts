import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { decodeHeader, startMailServer } from '../../../test/support/mail-server.ts';
import { readConfig } from '../../config.ts';
import { createSmtpClient, type OutgoingMail } from './smtp.ts';

const serverOf = (url: string) => {
  const { mail } = readConfig({ SLUICE_SMTP_URL: url, SLUICE_SMTP_FROM: 'Sluice <notices@example.com>' });
  assert.ok(mail);
  return mail.server;
};
const MAIL: OutgoingMail = {
  from: { name: 'Sluice', address: 'notices@example.com' },
  to: 'ada@example.com',
  subject: 'A subject',
  text: 'A text\n',
  messageId: '<one@example.com>',
  date: new Date('2026-01-15T09:30:00Z'),
  headers: { 'List-Unsubscribe': `<https://platform.example/${'x'.repeat(300)}>` },
};

test('a mail arrives with its headers as they were given', async () => {
  await using server = await startMailServer({ user: { name: 'us@er', password: 'p:/s s' } });
  const client = createSmtpClient(serverOf(server.url));
  assert.deepEqual(await client.send({ ...MAIL, subject: 'Größe: 貸付 – 12 %' }), { result: 'sent' });
  const [mail] = server.received;
  assert.deepEqual(
    [mail?.from, mail?.to, mail?.user, mail?.text],
    ['notices@example.com', 'ada@example.com', 'us@er', 'A text\r\n'],
  );
  const header = (name: string) => mail?.headers.get(name);
  assert.deepEqual(
    [header('from'), header('to'), header('message-id'), header('list-unsubscribe')],
    ['Sluice <notices@example.com>', 'ada@example.com', '<one@example.com>', MAIL.headers['List-Unsubscribe']],
  );
  assert.match(header('date') ?? '', /^Thu, 15 Jan 2026 09:30:00/);
  assert.equal(decodeHeader(header('subject') ?? ''), 'Größe: 貸付 – 12 %');
});

test('a line break in a subject or a name begins no header', async () => {
  await using server = await startMailServer();
  const hostile = {
    subject: 'Deal\r\nBcc: all@example.com\r\n\r\nbody',
    from: { name: 'S"\r\nX-Evil: 1', address: 'notices@example.com' },
  };
  assert.deepEqual(await createSmtpClient(serverOf(server.url)).send({ ...MAIL, ...hostile }), { result: 'sent' });
  const [mail] = server.received;
  assert.deepEqual([mail?.headers.has('bcc'), mail?.headers.has('x-evil'), mail?.to], [false, false, 'ada@example.com']);
  assert.equal(mail?.text, 'A text\r\n');
});

test('a refusal is told from a delay and from a server that cannot be used', async () => {
  await using server = await startMailServer();
  const send = (mail = MAIL) => createSmtpClient(serverOf(server.url)).send(mail);
  server.onRecipient = () => '550 5.1.1 no such user';
  assert.deepEqual(await send(), { result: 'refused', reply: '550 5.1.1 no such user', reason: 'RCPT TO 550' });
  server.onRecipient = () => '451 come back later';
  assert.deepEqual(await send(), { result: 'deferred', reply: '451 come back later', reason: 'RCPT TO 451' });
  server.onRecipient = () => '421 closing';
  assert.equal((await send()).result, 'unreachable');
  server.onRecipient = (address) => `503 not before <${address}>`;
  const early = await send();
  assert.equal(early.result, 'unreachable');
  assert.match('reason' in early ? early.reason : '', /RCPT TO 503: .*not before …$/);
  server.onRecipient = () => null;
  server.onMessage = () => '554 spam';
  assert.deepEqual(await send(), { result: 'refused', reply: '554 spam', reason: 'DATA 554' });
  server.onMessage = () => '452 full';
  assert.equal((await send()).result, 'deferred');
  assert.deepEqual(server.received, []);
});

test('a wrong password and an address where nothing listens concern every mail', async () => {
  await using server = await startMailServer({ user: { name: 'user', password: 'right' } });
  const wrong = await createSmtpClient(serverOf(server.url.replace('right', 'wrong'))).send(MAIL);
  assert.equal(wrong.result, 'unreachable');
  assert.doesNotMatch(JSON.stringify(wrong), /wrong/, 'no outcome holds a password');
  const { port } = server;
  await server[Symbol.asyncDispose]();
  assert.equal((await createSmtpClient(serverOf(`smtp://127.0.0.1:${port}`)).send(MAIL)).result, 'unreachable');
});

test('a password goes to another machine over an encrypted connection alone', async () => {
  await using server = await startMailServer({ user: { name: 'user', password: 'right' } });
  assert.equal(await createSmtpClient(serverOf(server.url)).check(), 'not encrypted');
  assert.equal(server.signIns(), 1);
  // An address of this machine that does not look like one.
  const elsewhere = { ...serverOf(server.url), host: '0.0.0.0' };
  await assert.rejects(createSmtpClient(elsewhere).check(), /certificate/);
  assert.equal(server.signIns(), 1);
});

test('a server that never ends its replies costs a mail no more than the deadline', async (t) => {
  const closed: Promise<void>[] = [];
  const endless = createServer((socket) => {
    // Never silent, so that no limit of inactivity ends it.
    const timer = setInterval(() => socket.write('220-still here\r\n'), 5);
    const { promise, resolve } = Promise.withResolvers<void>();
    closed.push(promise);
    socket
      .on('error', () => {})
      .on('close', () => {
        clearInterval(timer);
        resolve();
      });
  }).listen(0, '127.0.0.1');
  t.after(() => endless.close());
  await once(endless, 'listening');
  const { port } = endless.address() as AddressInfo;
  const startedAt = performance.now();
  const outcome = await createSmtpClient(serverOf(`smtp://127.0.0.1:${port}`), 200).send(MAIL);
  assert.equal(outcome.result, 'unreachable');
  assert.ok(performance.now() - startedAt < 5_000);
  assert.equal(closed.length, 1);
  await Promise.all(closed);
});
