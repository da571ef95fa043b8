import { ApiFailure, ask, refused, send } from './api.ts';

/** Fetches a file under the caller's key and hands it to the browser; an address that carries the key would end up in histories. */
export async function download(path: string): Promise<void> {
  const response = await ask('GET', path);
  if (!response.ok) throw refused(response, await response.json().catch(() => ({})));
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'download';
  const address = URL.createObjectURL(await response.blob());
  follow(address, name);
  // The browser has taken the file by the time the next task runs; a minute is for the slow ones.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Asks for a short-lived address of a document, which is itself the permission to read, and follows it; who asks is recorded. */
export async function openDocument(path: string): Promise<void> {
  const { download_url: address, file_name: name } = await send<{ download_url: string; file_name: string }>('POST', path, {});
  follow(sameOrigin(address), name);
}

function follow(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

export type Upload = { upload_url: string; upload_headers: Record<string, string> };

/** Sends a file to its signed address. `fetch` tells nothing of how far it is, the older request does. */
export function put(upload: Upload, file: File, progress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', sameOrigin(upload.upload_url));
    for (const [name, value] of Object.entries(upload.upload_headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(event.total === 0 ? 1 : event.loaded / event.total);
    request.onerror = () => reject(new ApiFailure(0, { message: 'The upload was cut off.', code: 'UNREACHABLE' }, null));
    request.onload = () => (request.status < 300 ? resolve() : reject(failureOf(request)));
    request.send(file);
  });
}

/** Signed addresses name the gateway as the operator does; this page may have come by another name of the same gateway. */
function sameOrigin(address: string): string {
  const { pathname, search } = new URL(address, location.href);
  return `${pathname}${search}`;
}

function failureOf(request: XMLHttpRequest): ApiFailure {
  const answer = ((): Record<string, unknown> => {
    try {
      return JSON.parse(request.responseText) as Record<string, unknown>;
    } catch {
      return {};
    }
  })();
  return new ApiFailure(request.status, answer, request.getResponseHeader('x-request-id'));
}
