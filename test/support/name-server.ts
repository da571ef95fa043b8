import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const QUERY = { A: 1, AAAA: 28 } as const;
const HEADER_BYTES = 12;
const NOT_FOUND = 3;

/** What a name server answers of a name: its addresses (none: the name exists without), that there is no such name, or nothing at all. */
export type Known = { A?: string; AAAA?: readonly number[] | 'silent' } | 'unknown' | 'silent';

export type NameServer = AsyncDisposable & { address: string; asked: string[] };

/** A name server on loopback; it answers of names what `known` says. */
export async function startNameServer(known: Record<string, Known>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const of = known[name] ?? 'unknown';
    const isSilent = of === 'silent' || (type === QUERY.AAAA && of !== 'unknown' && of.AAAA === 'silent');
    if (!isSilent) socket.send(answerTo(query.subarray(0, end), type, of), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: addressOf(socket), asked, [Symbol.asyncDispose]: async () => void socket.close() };
}

const addressOf = (socket: Socket): string => `127.0.0.1:${socket.address().port}`;

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, type: number, known: Exclude<Known, 'silent'>): Buffer {
  const data = known === 'unknown' ? null : type === QUERY.A ? v4(known.A) : type === QUERY.AAAA ? v6(known.AAAA) : null;
  const head = Buffer.from(question);
  // A response, of which recursion is available.
  head.writeUInt16BE(0x8180 | (known === 'unknown' ? NOT_FOUND : 0), 2);
  for (const [index, count] of [1, data ? 1 : 0, 0, 0].entries()) head.writeUInt16BE(count, 4 + index * 2);
  if (!data) return head;
  // The name is that of the question; the address is kept for no time.
  const about = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, about, data]);
}

const v4 = (address: string | undefined): Buffer | null => (address ? Buffer.from(address.split('.').map(Number)) : null);
const v6 = (bytes: readonly number[] | 'silent' | undefined): Buffer | null =>
  bytes && bytes !== 'silent' ? Buffer.from(bytes) : null;
