import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = {
  from: string;
  to: string;
  raw: string;
  headers: Map<string, string>;
  text: string;
  user: string | null;
};

/** A mail server on this machine that keeps what it got. */
export type MailServer = {
  /** Its address, for `SLUICE_SMTP_URL`. */
  url: string;
  port: number;
  received: ReceivedMail[];
  /** Decides about each recipient and each message; a text such as `550 no such user` refuses it. */
  onRecipient: (address: string) => string | null;
  onMessage: (mail: ReceivedMail) => string | null | Promise<string | null>;
  /** Most messages that it took in at once so far. */
  mostAtOnce(): number;
  /** Attempts to sign in. */
  signIns(): number;
  [Symbol.asyncDispose](): Promise<void>;
};

type Options = { user?: { name: string; password: string } };

export async function startMailServer({ user }: Options = {}): Promise<MailServer> {
  let [atOnce, most, signIns] = [0, 0, 0];
  const server = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: user === undefined,
    allowInsecureAuth: true,
    logger: false,
    closeTimeout: 10,
    onAuth: (auth, _session, done) => {
      signIns += 1;
      const known = auth.username === user?.name && auth.password === user?.password;
      done(known ? null : new Error('Invalid login'), known ? { user: auth.username } : undefined);
    },
    onRcptTo: ({ address }, _session, done) => done(refusal(mails.onRecipient(address))),
    onData: (stream, session, done) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = parse(Buffer.concat(chunks).toString(), {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map((each) => each.address).join(),
          user: session.user ?? null,
        });
        void (async () => {
          const refused = refusal(await mails.onMessage(mail));
          if (!refused) mails.received.push(mail);
          atOnce -= 1;
          done(refused);
        })();
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const credentials = user ? `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@` : '';
  const mails: MailServer = {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    port,
    received: [],
    onRecipient: () => null,
    onMessage: () => null,
    mostAtOnce: () => most,
    signIns: () => signIns,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mails;
}

function refusal(reply: string | null): Error | null {
  if (reply === null) return null;
  const [, code = '550', text = reply] = /^(\d{3}) (.*)$/.exec(reply) ?? [];
  return Object.assign(new Error(text), { responseCode: Number(code) });
}

function parse(raw: string, envelope: Pick<ReceivedMail, 'from' | 'to' | 'user'>): ReceivedMail {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    unfolded.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { ...envelope, raw, headers, text: decodeText(body.join('\r\n\r\n'), headers.get('content-transfer-encoding')) };
}

function decodeText(body: string, encoding: string | undefined): string {
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** The words of a header that were encoded by RFC 2047. */
export function decodeHeader(value: string): string {
  return value.replace(/\?=\s+=\?/g, '?==?').replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_whole, kind: string, text: string) =>
    kind.toLowerCase() === 'b'
      ? Buffer.from(text, 'base64').toString()
      : Buffer.from(
          text
            .replace(/_/g, ' ')
            .replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ).toString(),
  );
}
