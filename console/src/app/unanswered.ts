type Attempt = { address: string; body: string; key: string };

/**
 * The keys of changes that have not succeeded yet. The gateway may have made a change whose answer was lost: the same change again goes under
 * the same key, and is made once. A change that is sent meanwhile has a key of its own.
 */
export class Unanswered {
  readonly #open = new Map<string, Attempt>();
  readonly #sent = new WeakMap<Request, Attempt>();

  /** The key of a request that begins: that of the attempt which it repeats, or a new one. */
  begin(request: Request, body: string): string {
    const address = `${request.method} ${request.url}`;
    const earlier = this.#open.get(address);
    this.#open.delete(address);
    const attempt = earlier?.body === body ? earlier : { address, body, key: crypto.randomUUID() };
    this.#sent.set(request, attempt);
    return attempt.key;
  }

  /** A refusal keeps the key too: it says nothing of an attempt before it. */
  failed(request: Request): void {
    const attempt = this.#sent.get(request);
    if (attempt) this.#open.set(attempt.address, attempt);
  }

  /** What a person decides anew is another change, even if it is the same. */
  forget(): void {
    this.#open.clear();
  }
}
