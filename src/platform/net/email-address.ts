const MOST_CHARACTERS = 254;
const MOST_LOCAL_CHARACTERS = 64;
/** A dot-atom of RFC 5322: no quotes, blanks or brackets, so that an address cannot end a header or a command. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** An e-mail address with its domain in lower case; null for a text that is none, or whose domain has no dot. */
export function normalizeEmail(text: string): string | null {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1).toLowerCase()];
  const labels = domain.split('.');
  const valid =
    at > 0 &&
    text.length <= MOST_CHARACTERS &&
    local.length <= MOST_LOCAL_CHARACTERS &&
    LOCAL.test(local) &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label));
  return valid ? `${local}@${domain}` : null;
}
