import type { default as Connection, SMTPError } from 'nodemailer/lib/smtp-connection';
import type { MailSender, MailServer } from '../../config.ts';

export type OutgoingMail = {
  from: MailSender;
  to: string;
  subject: string;
  text: string;
  /** The same for every attempt, so that a mailbox folds repeats. */
  messageId: string;
  date: Date;
  headers: Record<string, string>;
};

/**
 * What became of a mail. `refused`: never accepted, whatever is tried. `deferred`: not now. `unreachable`: the server cannot be used for any
 * mail: connection, TLS, sign-in, sender. `reply` is the server's, and null where it has no part in the failure.
 */
export type MailOutcome =
  | { result: 'sent' }
  | { result: 'refused' | 'deferred' | 'unreachable'; reply: string | null; reason: string };

export type SmtpClient = {
  /** Sends a mail on a connection of its own. Every failure is an outcome, within the deadline. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
  /** Connects, signs in and says goodbye; throws what went wrong. Returns how the connection was. */
  check(): Promise<string>;
};

const CONNECT_TIMEOUT_MS = 10_000;
export const SEND_TIMEOUT_MS = 30_000;
/** How long a server may take to say goodbye. */
const QUIT_MS = 500;
const LOOPBACK = /^(localhost|127\.[\d.]+|::1)$/;

export function createSmtpClient(server: MailServer, timeoutMs = SEND_TIMEOUT_MS): SmtpClient {
  return {
    async send(mail) {
      try {
        const message = await buildMessage(mail);
        await connected(server, timeoutMs, (connection) =>
          promised((done) => connection.send({ from: mail.from.address, to: mail.to, size: message.length }, message, done)),
        );
        return { result: 'sent' };
      } catch (error) {
        return outcomeOf(error as SMTPError);
      }
    },
    check: () => connected(server, timeoutMs, async ({ secure }) => (secure ? 'encrypted' : 'not encrypted')),
  };
}

/** Works on a connection that has signed in. It is destroyed when the time is over, however busy it is. */
async function connected<Result>(
  server: MailServer,
  timeoutMs: number,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  // Loaded when it is used: most processes never send a mail.
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection');
  const connection = new SmtpConnection({
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: server.user !== null && !LOOPBACK.test(server.host),
    connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    greetingTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    dnsTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    socketTimeout: timeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: 64 * 1024,
    logger: false,
  });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  connection.on('error', reject);
  connection.once('end', () => reject(Object.assign(new Error('the connection ended'), { code: 'ECONNECTION' })));
  const over = (): void => reject(Object.assign(new Error(`no end within ${timeoutMs} ms`), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(over, timeoutMs);
  try {
    const result = await Promise.race([failed, signedIn(connection, server).then(() => work(connection))]);
    connection.quit();
    setTimeout(() => connection.close(), QUIT_MS).unref();
    return result;
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function signedIn(connection: Connection, { user, password }: MailServer): Promise<void> {
  await promised((done) => connection.connect((error) => done(error ?? null)));
  if (user !== null) {
    const credentials = { user, pass: password ?? '' };
    await promised((done) => connection.login({ credentials }, (error) => done(error)));
  }
}

const promised = (start: (done: (error: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));

async function buildMessage(mail: OutgoingMail): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { from, to, subject, text, messageId, date, headers } = mail;
  const composer = new MailComposer({
    from: { name: from.name ?? '', address: from.address },
    to: { name: '', address: to },
    subject,
    text,
    messageId,
    date,
    // Addresses in them must not be encoded.
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Replies to these commands are about the recipient or the mail; those to others concern every mail. */
const ABOUT_THE_MAIL = ['RCPT TO', 'DATA'];
/** The server closes its service, or the session is out of step: neither is about the mail. */
const ABOUT_THE_SESSION = [421, 503];

function outcomeOf({ code, command, responseCode, response, permanent, message }: SMTPError): MailOutcome {
  const reply = response ? oneLine(response) : null;
  const isAboutTheMail = ABOUT_THE_MAIL.includes(command ?? '') && responseCode !== undefined;
  if (isAboutTheMail && !ABOUT_THE_SESSION.includes(responseCode))
    return { result: permanent === true ? 'refused' : 'deferred', reply, reason: `${command} ${responseCode}` };
  const where = [code, command, responseCode].filter((part) => part !== undefined).join(' ');
  // A server may name the recipient in what it says; who reads the reason has no need of it.
  const said = message.replace(/\S+@\S+/g, '…');
  return { result: 'unreachable', reply, reason: oneLine(`${where || 'failed'}: ${said}`) };
}

const MOST_REPLY_CHARACTERS = 300;

function oneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > MOST_REPLY_CHARACTERS ? `${line.slice(0, MOST_REPLY_CHARACTERS - 1)}…` : line;
}
