import { parseSetCookie } from 'cookie';

/** What a browser does with addresses and cookies, without scripts: follows redirects and keeps the cookies of each host. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  of(url: string): Map<string, string> {
    const { host } = new URL(url);
    const known = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, known);
    return known;
  }

  async request(url: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}): Promise<Response> {
    const cookies = this.of(url);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const { name, value, maxAge, expires } = parseSetCookie(line);
      if (maxAge === 0 || (expires && expires.getTime() < Date.now())) cookies.delete(name);
      else cookies.set(name, value ?? '');
    }
    return response;
  }

  /** Opens an address and follows where it leads, up to the first response that leads nowhere else, or that `until` wants. */
  async open(
    url: string,
    until: (next: string) => boolean = () => false,
  ): Promise<{ response: Response; url: string; next: string | null }> {
    let at = url;
    for (let steps = 0; steps < 12; steps += 1) {
      const response = await this.request(at);
      const location = response.headers.get('location');
      const next = location === null ? null : new URL(location, at).href;
      if (next === null || response.status >= 400 || until(next)) return { response, url: at, next };
      await response.body?.cancel();
      at = next;
    }
    throw new Error('too many redirects');
  }
}
