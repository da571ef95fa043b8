/** What a member of an organization may do in it. ADMIN: members, keys and webhooks. APPROVE: what moves money or gives rights in a deal. EDIT: every other change. VIEW: reading. */
export const RIGHTS = ['ADMIN', 'EDIT', 'APPROVE', 'VIEW'] as const;
export type Right = (typeof RIGHTS)[number];
