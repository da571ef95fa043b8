import type { SecretBox } from '../../platform/secret-box.ts';
import type { Id } from '../../platform/ids.ts';

/** The key of the ids and tokens that one owner discloses, hexadecimal. */
export function disclosureKey({ secrets }: { secrets: SecretBox }, organizationId: Id<'org'>): string {
  return secrets.derive(`disclosed loans\n${organizationId}`).toString('hex');
}
