import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Position } from '../pages.ts';

/** Writes positions in lists as text that only the platform can make, each for one list, its filters and one organization. */
export type CursorSigner = {
  sign(list: string, position: Position): string;
  /** The position, or null for a text that was not made for this list. */
  open(list: string, cursor: string): Position | null;
};

export function createCursorSigner(key: string): CursorSigner {
  const secret = createSecretKey(`sluice cursor\n${key}`, 'utf8');
  const mac = (list: string, payload: string): string =>
    createHmac('sha256', secret).update(`${list}\n${payload}`).digest().subarray(0, MAC_BYTES).toString('base64url');
  return {
    sign(list, position) {
      const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${payload}.${mac(list, payload)}`;
    },
    open(list, cursor) {
      const [payload, signature, ...rest] = cursor.split('.');
      if (!payload || !signature || rest.length > 0) return null;
      // Compared as text: the decoder would take several texts for one signature.
      const [expected, given] = [Buffer.from(mac(list, payload)), Buffer.from(signature)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Position;
    },
  };
}

const MAC_BYTES = 15;
