import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** Encrypts small secrets at rest: AES-256-GCM with a fresh nonce each, bound to the id of the record that holds them. */
export type SecretBox = {
  seal(plain: string, boundTo: string): string;
  open(sealed: string, boundTo: string): string;
  /** A key of 32 bytes for one purpose: always the same, and computable only with the key of the box. */
  derive(purpose: string): Buffer;
};

/** `key` is any text of at least 32 bytes of entropy; it is hashed to the cipher's key. */
export function createSecretBox(key: string): SecretBox {
  const cipherKey = createHash('sha256').update(`sluice encryption at rest\n${key}`).digest();
  return {
    seal(plain, boundTo) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, boundTo) {
      const bytes = Buffer.from(sealed.slice(3), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, 12)).setAAD(Buffer.from(boundTo));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
    },
    derive: (purpose) => createHmac('sha256', `sluice derived key\n${key}`).update(purpose).digest(),
  };
}
