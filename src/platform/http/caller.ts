import type { Environment } from '../../config.ts';
import type { ActorId, Id } from '../ids.ts';
import type { ApiVersion } from './api-version.ts';
import type { KeyRefusal } from './errors.ts';
import type { Right } from './member-rights.ts';

export const ROLES = ['originator', 'investor', 'both', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Who may call a route. `customer`: every key of a customer; `key`: every key, the operator's too; `public`: no key. */
export type Access = 'originator' | 'investor' | 'customer' | 'operator' | 'key' | 'public';

/** The holder of a valid key, or a person who is signed in, as the database knows them. */
export type Caller = {
  /** The key, or the member of an organization who is signed in. */
  actor_id: ActorId;
  organization_id: Id<'org'>;
  organization: string;
  role: Role;
  environment: Environment;
  /** In which its requests are answered, unless they name another; null before its first call. */
  api_version: ApiVersion | null;
  expires_at: Date;
  /** What it may do of what its role may; null: all of it. */
  scopes: string[] | null;
  /** Networks that it may be used from; null: any. */
  networks: string[] | null;
  label: string | null;
  /** The person who is signed in; null where the caller is a key. */
  person: Person | null;
};

/** A person as a member of the organization that they have chosen. */
export type Person = {
  /** Names the person across organizations, as the identity provider does. */
  identity: string;
  email: string;
  name: string;
  rights: Right[];
  /** Of the session: its stored name, and the word that requests which change something carry. */
  session_hash: string;
  csrf: string;
};

export type RateWindow = { limit: number; remaining: number; reset: number };

/** A session that is refused. */
export type RefusedSession = { refused: 'SESSION_EXPIRED' | 'ORGANIZATION_SUSPENDED' | 'ORGANIZATION_REQUIRED'; message: string };

/** A refused credential. `api_version` is that of the key, where there is one. `message` says what was seen and what to do; it never repeats any part of the credential. */
export type RefusedKey = { refused: KeyRefusal; message?: string; api_version?: ApiVersion | null };
