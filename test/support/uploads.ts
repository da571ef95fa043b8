import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Gateway } from './gateway.ts';
import { until } from './until.ts';

export type Put = {
  outgoing: ClientRequest;
  answered: Promise<{ status: number; code: string; retryAfter: string | undefined }>;
};

/** A PUT to a signed address over a real connection; the body is the caller's to write and to end. */
export function openPut(app: Gateway['app'], initiated: Answer): Put {
  const { port } = app.server.address() as AddressInfo;
  const { upload_url, upload_headers } = initiated.body.data;
  const path = new URL(upload_url).pathname;
  const outgoing = request({ host: '127.0.0.1', port, agent: false, method: 'PUT', path, headers: upload_headers });
  const answered = new Promise<Awaited<Put['answered']>>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          code: JSON.parse(text).code,
          retryAfter: response.headers['retry-after'],
        }),
      );
    });
  });
  answered.catch(() => {});
  return { outgoing, answered };
}

/** The uploads that a PUT sends to now. */
export const receivers = (gateway: Gateway) =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ upload_id: string }>('select upload_id from uploads where receiver is not null'),
  );

/** A PUT that has begun: the gateway holds its address. */
export async function beginPut(gateway: Gateway, initiated: Answer): Promise<Put> {
  const put = openPut(gateway.app, initiated);
  put.outgoing.write('Loan ID,Current Balance\n');
  await until(async () => (await receivers(gateway)).length > 0, 120_000, 'the upload');
  return put;
}
