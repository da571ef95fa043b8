// Who is signed in, and who takes part. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export type Role = 'originator' | 'investor' | 'both' | 'operator';

export type Me = {
  key_id: string;
  organization_id: string;
  organization: string;
  role: Role;
  environment: string;
  expires_at: string;
};

export type Organization = { organization_id: string; name: string };
