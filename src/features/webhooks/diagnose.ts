import { createHmac, timingSafeEqual } from 'node:crypto';

export type Diagnosis = {
  valid: boolean;
  /** Differences between the signed and the given secret, body or header, one sentence each. Empty when valid. */
  findings: string[];
};

/** A secret or body that the signature may have been made with; `finding` names the mistake, null for the value as given. */
type Variant<Value> = { value: Value; finding: string | null };

/**
 * Says whether `X-Platform-Signature` matches body and secret, and if not, which change would make it match. It tries the mistakes that
 * receivers make: a secret with a line end or without its prefix, a body that was parsed and serialized again, a header without `sha256=`.
 */
export function diagnose(body: Buffer, header: string, secret: string): Diagnosis {
  const given = readHeader(header);
  if (!given.mac)
    return { valid: false, findings: ['The header is not a signature: expected sha256= and 64 hexadecimal digits.'] };
  for (const secretVariant of secretsLike(secret)) {
    for (const bodyVariant of bodiesLike(body)) {
      const mac = createHmac('sha256', secretVariant.value).update(bodyVariant.value).digest();
      if (!timingSafeEqual(mac, given.mac)) continue;
      const findings = [given.finding, secretVariant.finding, bodyVariant.finding].filter((finding) => finding !== null);
      return { valid: findings.length === 0, findings };
    }
  }
  return {
    valid: false,
    findings: [
      ...(given.finding ? [given.finding] : []),
      'No known mistake explains the signature: the secret belongs to another subscription or was replaced by a rotation, or the body belongs to another delivery.',
    ],
  };
}

function readHeader(header: string): { mac: Buffer | null; finding: string | null } {
  const text = header.trim().replace(/^X-Platform-Signature(-Next)?:\s*/i, '');
  const [, prefix = '', rest = ''] = /^([a-z0-9]+=)?(.+)$/i.exec(text) ?? [];
  const mac = /^[0-9a-f]{64}$/i.test(rest) ? Buffer.from(rest, 'hex') : null;
  if (mac && prefix === 'sha256=' && rest === rest.toLowerCase()) return { mac, finding: null };
  if (mac && prefix === '') return { mac, finding: 'The prefix is missing: the header is sha256= followed by the digits.' };
  if (mac && prefix !== 'sha256=') return { mac, finding: `The prefix is ${prefix}, expected sha256=.` };
  if (mac) return { mac, finding: 'The digits are in upper case: the header has lower case.' };
  const encoded = Buffer.from(rest, 'base64');
  return encoded.length === 32
    ? { mac: encoded, finding: 'The digest is in base64: X-Platform-Signature has lower-case hexadecimal digits.' }
    : { mac: null, finding: null };
}

function secretsLike(secret: string): Variant<string | Buffer>[] {
  const trimmed = secret.trim();
  const bare = trimmed.replace(/^whsec_/, '');
  return [
    { value: secret, finding: null },
    { value: trimmed, finding: 'The secret has blanks or a line end around it: remove them.' },
    { value: `whsec_${bare}`, finding: 'The secret lacks its whsec_ prefix: the key is the whole text.' },
    { value: bare, finding: 'The signature was made with a secret without whsec_: use the secret exactly as it was shown.' },
    {
      value: Buffer.from(bare, 'base64'),
      finding: 'The signature was made with the decoded secret: the key of X-Platform-Signature is the text itself.',
    },
    { value: `${trimmed}\n`, finding: 'The signature was made with a secret that ends with a line end.' },
  ];
}

function bodiesLike(body: Buffer): Variant<Buffer>[] {
  const text = body.toString('utf8');
  const variants: Variant<Buffer>[] = [{ value: body, finding: null }];
  const add = (value: string | Buffer, finding: string): void => void variants.push({ value: Buffer.from(value), finding });
  add(text.replace(/^\ufeff/, ''), 'The body starts with a byte order mark: use the bytes as they arrived.');
  add(text.replace(/[\r\n]+$/, ''), 'The body has an extra line end: use the bytes as they arrived.');
  add(text.trim(), 'The body has blanks around it: use the bytes as they arrived.');
  add(`${text}\n`, 'The body lost its last line end: use the bytes as they arrived.');
  add(text.replace(/\r\n/g, '\n'), 'Line ends of the body became CR LF: use the bytes as they arrived.');
  const compact = compactJson(text);
  if (compact !== null) {
    const finding =
      'The body was parsed as JSON and serialized again: compare the signature over the raw bytes, before any parser.';
    add(compact, finding);
    add(escaped(compact), finding);
    add(compact.replaceAll('/', '\\/'), finding);
  }
  add(Buffer.from(text, 'latin1'), 'The body was read as Latin-1 or lost characters: read it as bytes, or as UTF-8.');
  add(
    Buffer.from(body.toString('latin1'), 'utf8'),
    'The body was encoded as UTF-8 twice or read as Latin-1: use the bytes as they arrived.',
  );
  return variants;
}

/** JSON as the gateway writes it, or null when the text is not JSON. */
function compactJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}

const escaped = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
