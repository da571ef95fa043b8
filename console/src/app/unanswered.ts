type Attempt = { address: string; body: string; key: string };
/** By address. */
type Attempts = Map<string, Attempt>;

/**
 * The keys of changes that have not succeeded yet. The gateway may have made a change whose answer was lost: the same change again goes under
 * the same key, and is made once. A change that is sent meanwhile has a key of its own. Each form keeps the keys of its own changes, for as long
 * as it is there: what a person decides anew in another one is another change, even if it is the same.
 */
export class Unanswered {
  readonly #ofForms = new WeakMap<object, Attempts>();
  /** Of changes without a form. */
  readonly #others: Attempts = new Map();
  #open: Attempts = this.#others;
  readonly #sent = new WeakMap<Request, { attempt: Attempt; open: Attempts }>();

  /** Calls `send`: what it asks before it waits belongs to the form. */
  of<Answer>(form: object, send: () => Answer): Answer {
    this.#open = this.#ofForms.get(form) ?? new Map();
    this.#ofForms.set(form, this.#open);
    try {
      return send();
    } finally {
      this.#open = this.#others;
    }
  }

  /** The attempts beside which a request belongs that begins now. */
  get open(): Attempts {
    return this.#open;
  }

  /** The key of a request that begins: that of the attempt which it repeats, or a new one. */
  begin(open: Attempts, request: Request, body: string): string {
    const address = `${request.method} ${request.url}`;
    const earlier = open.get(address);
    open.delete(address);
    const attempt = earlier?.body === body ? earlier : { address, body, key: crypto.randomUUID() };
    this.#sent.set(request, { attempt, open });
    return attempt.key;
  }

  /** A refusal keeps the key too: it says nothing of an attempt before it. */
  failed(request: Request): void {
    const sent = this.#sent.get(request);
    sent?.open.set(sent.attempt.address, sent.attempt);
  }

  /** The page is left: what was asked there without a form is decided anew. */
  forget(): void {
    this.#others.clear();
  }
}
