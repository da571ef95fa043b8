import { ENVIRONMENTS } from '../../config.ts';

const FORM = 'send Authorization: Bearer <API_KEY>';

/** Why a header without the form of a key is refused, by the mistake that it shows. Nothing of the header is repeated but the name of a scheme. */
export function describeMalformed(authorization: string): string {
  const { scheme, rest } = split(authorization);
  if (/^basic$/i.test(scheme))
    return `The Authorization header is Basic, with a user and a password (curl -u sends it so): ${FORM}.`;
  if (looksLikeKey(authorization.trim()))
    return `The Authorization header holds a key without the word Bearer before it: ${FORM}.`;
  if (!/^bearer$/i.test(scheme)) {
    const name =
      /^[a-z][a-z-]{0,15}$/i.test(scheme) && rest !== ''
        ? ` begins with ${scheme}, not with Bearer`
        : ' does not begin with Bearer';
    return `The Authorization header${name}: ${FORM}.`;
  }
  return `The Authorization header ${describeRest(rest)}: ${FORM}, with one blank between them.`;
}

function split(authorization: string): { scheme: string; rest: string } {
  const [, scheme = '', rest = ''] = /^\s*([^\s:]*):?\s*(.*)$/s.exec(authorization) ?? [];
  return { scheme, rest };
}

function describeRest(rest: string): string {
  if (rest === '') return 'has nothing behind Bearer; is the variable that should hold the key empty';
  if (/^["'\u2018\u2019\u201c\u201d]|["'\u2018\u2019\u201c\u201d]$/.test(rest))
    return 'has the key in quotation marks; write it without';
  if (/^bearer\s/i.test(rest)) return 'has the word Bearer twice';
  if (/^[<[{$%]|api_?key|your[_-]?(?:api|key|token)/i.test(rest))
    return 'has a placeholder or a variable behind Bearer, not a key; a shell fills a variable between double quotes, not between single ones';
  if (/(?:\\[rn]|%0[ad])+$/i.test(rest)) return 'has a line break at the end of the key; cut it off';
  if (/^key_[0-9a-z]+$/.test(rest)) return 'has the id of a key behind Bearer; the key itself has three parts separated by dots';
  if (/\s/.test(rest)) return 'has a blank or a line break inside the key; was it wrapped in copying';
  const parts = rest.split('.').length;
  if (parts !== 3)
    return `has ${parts === 1 ? 'one part' : `${parts} parts`} behind Bearer, and a key has three parts separated by dots; copy the whole key`;
  return 'has three parts behind Bearer, of which one cannot be decoded; copy the whole key';
}

const looksLikeKey = (text: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(text);

/** Why a token that no signature of this platform fits is refused. What it says of itself is not trusted: it only helps to find the mistake. */
export function describeUnknown(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg } = decoded(header);
  const { iss, aud } = decoded(payload);
  const remedy = 'Copy the whole key again, or ask the operator of this platform for one.';
  if (alg !== 'EdDSA' || iss !== 'sluice') return `This platform has not issued this token: it is of another issuer. ${remedy}`;
  if (Buffer.from(signature, 'base64url').length !== SIGNATURE_BYTES)
    return `The signature of the API key is not whole: it has ${signature.length} characters, expected 86. ${remedy}`;
  const environment = ENVIRONMENTS.find((each) => each === aud);
  const hint = environment ? ` It says that it is of ${environment}: is this the address of that environment?` : '';
  return `The signature of the API key is not one of this platform: the key was altered in copying, or another platform has issued it.${hint} ${remedy}`;
}

const SIGNATURE_BYTES = 64;

function decoded(part: string): Record<string, unknown> {
  try {
    return (JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
