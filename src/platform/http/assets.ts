import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const QUALITY = 9;
const compressors = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: QUALITY }),
};
type Encoding = keyof typeof compressors;

/** A page that is the same for everybody until the process ends. It is compressed once for each encoding that is asked for. */
export class Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly tag: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(type: string, text: string) {
    this.type = `${type}; charset=utf-8`;
    this.body = Buffer.from(text);
    this.tag = createHash('sha256').update(this.body).digest('base64url').slice(0, 27);
  }

  encoded(encoding: Encoding): Promise<Buffer> {
    const known = this.#encoded.get(encoding) ?? compressors[encoding](this.body);
    this.#encoded.set(encoding, known);
    return known;
  }
}

/** Sends it in the best encoding that the client takes, or 304 for a client that has it. A strong tag differs by encoding. */
export async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset, cache: string): Promise<unknown> {
  const encoding = encodingOf(request.headers['accept-encoding']);
  const etag = `"${asset.tag}${encoding ? `-${encoding}` : ''}"`;
  reply.header('etag', etag).header('cache-control', cache).header('vary', 'Accept-Encoding');
  if (hasTag(request.headers['if-none-match'], etag)) return reply.status(304).send();
  reply.header('content-type', asset.type);
  if (encoding === null) return reply.send(asset.body);
  return reply.header('content-encoding', encoding).send(await asset.encoded(encoding));
}

/** Brotli before gzip, where the header names them with a weight above 0. */
export function encodingOf(accepted: string | undefined): Encoding | null {
  const weights = new Map(
    (accepted ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  const takes = (name: string): boolean => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
}

const hasTag = (given: string | undefined, etag: string): boolean =>
  (given ?? '').split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
