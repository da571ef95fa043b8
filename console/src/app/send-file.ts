import { ApiFailure } from './api.ts';

export type Report = (sentBytes: number, allBytes: number) => void;

/** Sends the bytes of a file to where the API says. `fetch` does not say how many of them have been sent. */
export function sendFile(url: string, headers: Record<string, unknown>, file: File, report: Report): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    // The gateway may be known by several names: the bytes go to the one of this page.
    const { pathname, search, host } = new URL(url, location.href);
    request.open('PUT', host === location.host ? `${pathname}${search}` : url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, String(value));
    request.upload.addEventListener('progress', ({ loaded, total }) => report(loaded, total));
    request.addEventListener('load', () => (request.status < 300 ? resolve() : reject(refusalOf(request))));
    request.addEventListener('error', () =>
      reject(
        new ApiFailure(0, {
          message: 'The connection broke while the file was sent. Send it again: nothing was kept.',
          code: 'UNREACHABLE',
        }),
      ),
    );
    request.send(file);
  });
}

function refusalOf({ status, responseText }: XMLHttpRequest): ApiFailure {
  try {
    return new ApiFailure(status, JSON.parse(responseText) as object);
  } catch {
    return new ApiFailure(status, { message: `The file was refused with status ${status}.` });
  }
}
