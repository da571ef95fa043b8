import type { Readable } from 'node:stream';
import Type from 'typebox';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { receiveUpload } from './receive-upload.ts';

const MIB = 1024 * 1024;

/** The signed address that the bytes of every upload are sent to. */
export const uploadRoutes: Route[] = [
  route({
    operation: 'uploadFile',
    method: 'PUT',
    path: '/v1/uploads/:token',
    access: 'public',
    tag: 'Uploads',
    summary: 'Send the bytes of a file to its signed address',
    description:
      'Needs no key: the address is the permission, as long as the key that requested it is in force. The body streams; an upload that is interrupted is never visible. One PUT at a time: another is 409 with Retry-After. A sender that is silent for 30 seconds, or slower than 16 KiB a second, is 408. With `Content-Digest: sha-256=:…:` (RFC 9530) bytes that are others are 400.',
    params: Type.Object({ token: Type.String({ maxLength: 2_048, description: 'The signed part of the address.' }) }),
    bodyKind: 'raw',
    body: Type.Unknown({ description: 'The bytes of the file.' }),
    bodyLimitBytes: 512 * MIB,
    reply: named('UploadedFile', { file_key: Type.String(), size: Type.Integer(), sha256: Type.String() }),
    errors: ['SIGNATURE_INVALID', 'REQUEST_TIMEOUT', 'ALREADY_COMPLETED', 'UPLOAD_IN_PROGRESS', 'PAYLOAD_TOO_LARGE'],
    handler: ({ deps, params, request, body }) =>
      receiveUpload(
        deps,
        params.token,
        {
          type: request.headers['content-type'],
          length: request.headers['content-length'],
          digest: request.headers['content-digest'],
        },
        (body as Readable | undefined) ?? request.raw,
      ),
  }),
];
