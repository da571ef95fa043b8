import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signed address permits: one act on one record until a moment. */
export type Grant = {
  act: 'put' | 'get' | 'share' | 'unsubscribe';
  /** Ids of the record and of the key that requested the address. */
  ids: readonly string[];
  generation: number;
  /** In milliseconds since 1970. */
  expires: number;
};

export type AddressSigner = {
  /** The last part of the address's path. */
  sign(grant: Grant): string;
  /** The grant, or null when the signature is wrong, the act is another, or the time is up. */
  verify(token: string, act: Grant['act'], nowMs: number): Grant | null;
  /** Why an address that does not verify is refused, and what to do, in a sentence. */
  refusal(token: string, act: Grant['act']): string;
};

export function createAddressSigner(key: string): AddressSigner {
  const mac = (payload: string): Buffer => createHmac('sha256', `sluice signed address\n${key}`).update(payload).digest();
  const open = (token: string): Grant | null => {
    const [payload, signature, ...rest] = token.split('.');
    if (!payload || !signature || rest.length > 0) return null;
    const expected = mac(payload);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const [act, ids, generation, expires] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
      Grant['act'],
      string,
      number,
      number,
    ];
    return { act, ids: ids.split('/'), generation, expires };
  };
  return {
    sign(grant) {
      const payload = Buffer.from(JSON.stringify([grant.act, grant.ids.join('/'), grant.generation, grant.expires])).toString(
        'base64url',
      );
      return `${payload}.${mac(payload).toString('base64url')}`;
    },
    verify(token, act, nowMs) {
      const grant = open(token);
      return grant && grant.act === act && grant.expires > nowMs ? grant : null;
    },
    refusal(token, act) {
      const grant = open(token);
      if (!grant) return 'The signed address is not whole, or was altered: use it exactly as it was given, or request a new one.';
      if (grant.act !== act) return `The signed address is not for this: it is one ${PURPOSES[grant.act]}.`;
      return `The signed address expired at ${new Date(grant.expires).toISOString()}: request a new one.`;
    },
  };
}

const PURPOSES: Record<Grant['act'], string> = {
  put: 'to send a file to',
  get: 'to download a file from',
  share: 'to read a part of a shared table from',
  unsubscribe: 'of a link in an e-mail',
};
