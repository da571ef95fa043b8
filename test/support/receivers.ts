import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';

export type Received = { headers: IncomingHttpHeaders; rawHeaders: string[]; body: Buffer; at: number; path: string };

/** A receiver on this machine that keeps what it got. */
export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  /** Connections that were made to it. */
  connections(): number;
  [Symbol.asyncDispose](): Promise<void>;
};

type Answer = (response: ServerResponse, request: IncomingMessage, received: Received) => void;

/** Answers every request by the function, or with a status. */
export async function startReceiver(
  answer: Answer | number = 204,
  options: { tls?: { key: string; cert: string } } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const { headers, rawHeaders, url = '' } = request;
      const one = { headers, rawHeaders, body: Buffer.concat(chunks), at: performance.now(), path: url };
      received.push(one);
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(response, request, one);
    });
  };
  const server = options.tls ? createTlsServer(options.tls, handle) : createServer(handle);
  return { ...(await listening(server, options.tls ? 'https' : 'http')), received };
}

/** A receiver that speaks no HTTP: the function gets the socket. */
export async function startSocket(talk: (socket: Socket) => void): Promise<Receiver> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    talk(socket);
  });
  return { ...(await listening(server, 'http')), received: [] };
}

async function listening(server: Server, scheme: string): Promise<Omit<Receiver, 'received'>> {
  let connections = 0;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}/hook`,
    port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** An address where nobody listens. */
export async function closedPort(): Promise<string> {
  const receiver = await startSocket(() => {});
  await receiver[Symbol.asyncDispose]();
  return receiver.url;
}

/** A certificate for receiver.test that nobody vouches for; it is worth nothing and protects nothing. */
export const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpQmCZSAAwrNUK3RB
afVhhGSLZUiLmSDfMazY1y05RNGhRANCAAQ0ZXToF+E4jTe48VgBXXkFukvrTtMz
eCbAf95Tekc0NhFpRPqnw+a1HEoad6cO0ktYYJNoSM1Lj7ZqaY+ACmH8
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUaX3WlvteL0U9YTE4qYKu8nYbqEswCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjAyMjM0MjlaGA8yMTI2
MTAyNzIyMzQyOVowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABDRldOgX4TiNN7jxWAFdeQW6S+tO0zN4JsB/3lN6RzQ2
EWlE+qfD5rUcShp3pw7SS1hgk2hIzUuPtmppj4AKYfyjbTBrMB0GA1UdDgQWBBT+
6Oi5zczMlnGmXhkPzj0kNb3pLDAfBgNVHSMEGDAWgBT+6Oi5zczMlnGmXhkPzj0k
Nb3pLDAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDXJlY2VpdmVyLnRlc3Qw
CgYIKoZIzj0EAwIDSAAwRQIhANAB79Oe0YDXxDQpJAdD8o4fh67DuP9FsXjljZ/D
FtETAiByI4+7NYkHhOHxeha+MQTYnDX97PgHc/QCbf2lZm73wA==
-----END CERTIFICATE-----`,
};
