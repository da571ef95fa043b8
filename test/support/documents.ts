import { deflateRawSync } from 'node:zlib';
import type { Answer, Gateway } from './gateway.ts';

export const DOCUMENTS = '/v1/api/deals/documents';
export const PDF = Buffer.from('%PDF-1.7\n1 0 obj << >> endobj\n%%EOF\n');

export const pathOf = (url: string): string => new URL(url).pathname;

/** An originator and its calls about the deal room. */
export async function dealRoom(gateway: Gateway, name: string) {
  const as = await gateway.key('originator', name);
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    gateway.call(method, `${DOCUMENTS}${path}`, { as, ...(body === undefined ? {} : { body }) });
  const initiate = (fileName: string, more: object = {}): Promise<Answer> => call('POST', '/initiate', { fileName, ...more });
  /** Opens an upload and sends its bytes; the body of its completion, and the way to send other bytes. */
  const send = async (fileName: string, bytes: Buffer = PDF, more: object = {}) => {
    const initiated = await initiate(fileName, more);
    if (initiated.status !== 201) throw new Error(`initiate answered ${initiated.status}: ${JSON.stringify(initiated.body)}`);
    const { upload_url, upload_headers, file_key } = initiated.body.data;
    const put = (raw: Buffer) => gateway.call('PUT', pathOf(upload_url), { headers: upload_headers, raw });
    const sent = await put(bytes);
    if (sent.status !== 200) throw new Error(`PUT answered ${sent.status}: ${JSON.stringify(sent.body)}`);
    return { initiated, put, body: { fileName, fileKey: file_key as string, ...more } };
  };
  const complete = (body: object): Promise<Answer> => call('POST', '/complete', body);
  return {
    as,
    call,
    initiate,
    send,
    complete,
    /** A registered document, as its completion tells it. */
    async register(fileName: string, more: object = {}, bytes: Buffer = PDF) {
      const { body } = await send(fileName, bytes, more);
      const completed = await complete(body);
      if (completed.status !== 201) throw new Error(`complete answered ${completed.status}: ${JSON.stringify(completed.body)}`);
      return completed.body.data;
    },
    show: (documentId: string, visibility: 'PRIVATE' | 'INVESTORS' = 'INVESTORS'): Promise<Answer> =>
      call('PUT', `/${documentId}/visibility`, { visibility }),
  };
}

/** A zip archive with these entries, as small as one can be. */
export function zipOf(names: string[]): Buffer {
  const packed = deflateRawSync(Buffer.from('x'));
  const entries = names.map((name) => {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(1, 22);
    header.writeUInt16LE(name.length, 26);
    return Buffer.concat([header, Buffer.from(name), packed]);
  });
  const directory = names.map((name, index) => {
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(name.length, 28);
    record.writeUInt32LE(
      entries.slice(0, index).reduce((sum, each) => sum + each.length, 0),
      42,
    );
    return Buffer.concat([record, Buffer.from(name)]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, each) => sum + each.length, 0),
    12,
  );
  end.writeUInt32LE(
    entries.reduce((sum, each) => sum + each.length, 0),
    16,
  );
  return Buffer.concat([...entries, ...directory, end]);
}
