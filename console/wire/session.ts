// Who is signed in, and who takes part. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export const ROLES = ['originator', 'investor', 'both', 'operator'] as const;
export type Role = (typeof ROLES)[number];

export const ENVIRONMENTS = ['development', 'staging', 'production'] as const;

export type Me = {
  key_id: string;
  organization_id: string;
  organization: string;
  role: Role;
  environment: string;
  expires_at: string;
};

/** What compliance knows of an organization. */
export type Profile = {
  kyc_status: string;
  kyc_expires_on: string | null;
  sanctions_status: string;
  qib: boolean;
  accredited: boolean;
  us_person: boolean;
  tax_form: string | null;
  erisa_plan: boolean;
  concentration_limit?: number | null;
};

export type Organization = {
  organization_id: string;
  name: string;
  roles: Role[];
  environments: string[];
  status: 'ACTIVE' | 'SUSPENDED';
  profile: Profile | null;
  created_at: string;
};

export type Key = {
  key_id: string;
  organization_id: string;
  organization: string;
  role: Role;
  environment: string;
  requester: string;
  use_case: string;
  status: 'ACTIVE' | 'EXPIRED' | 'REVOKED';
  created_at: string;
  expires_at: string;
  rotated_from: string | null;
};

export type IssuedKey = { key_id: string; organization_id: string; token?: string; expires_at: string };
