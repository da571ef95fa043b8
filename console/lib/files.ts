import type { DocumentAddress, Upload } from '../wire/api.ts';
import { ApiFailure, failureOf, request, send } from './api.ts';

/** Downloads a file under the caller's key. A link that carried the key would end up in the browser's history. */
export async function download(path: string): Promise<void> {
  const response = await request('GET', path);
  if (!response.ok) throw failureOf(response, await response.json().catch(() => ({})));
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'download';
  const address = URL.createObjectURL(await response.blob());
  follow(address, name);
  // Browsers start the download in the next task; a minute covers slow ones.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Requests the short-lived signed address of a document and opens it; the gateway records the access. */
export async function openDocument(path: string): Promise<void> {
  const { download_url: address, file_name: name } = await send<DocumentAddress>('POST', path, {});
  follow(sameOrigin(address), name);
}

function follow(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

export type SignedAddress = Pick<Upload, 'upload_url' | 'upload_headers'>;

/** Uploads a file to its signed address, with XMLHttpRequest because `fetch` reports no upload progress. */
export function put(address: SignedAddress, file: File, progress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open('PUT', sameOrigin(address.upload_url));
    for (const [name, value] of Object.entries(address.upload_headers)) sending.setRequestHeader(name, value);
    sending.upload.onprogress = (event) => progress(event.total === 0 ? 1 : event.loaded / event.total);
    sending.onerror = () => reject(new ApiFailure(0, { message: 'The upload was cut off.', code: 'UNREACHABLE' }, null));
    sending.onload = () => (sending.status < 300 ? resolve() : reject(uploadFailure(sending)));
    sending.send(file);
  });
}

/** The address on this page's own origin: a signed address carries the public URL of the gateway, which may differ from it. */
function sameOrigin(address: string): string {
  const { pathname, search } = new URL(address, location.href);
  return `${pathname}${search}`;
}

function uploadFailure(request: XMLHttpRequest): ApiFailure {
  const body = ((): Record<string, unknown> => {
    try {
      return JSON.parse(request.responseText) as Record<string, unknown>;
    } catch {
      return {};
    }
  })();
  return new ApiFailure(request.status, body, request.getResponseHeader('x-request-id'));
}
