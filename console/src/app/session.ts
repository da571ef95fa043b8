import { queryOptions } from '@tanstack/react-query';
import { ApiFailure, failureOf, setCsrf, unreachable } from './api.ts';

/** Who is signed in, as `GET /auth/me` says. */
export type Me = {
  member_id: string;
  email: string;
  name: string;
  organization_id: string;
  organization: string;
  organizations: Membership[];
  rights: Right[];
  role: 'originator' | 'investor' | 'both' | 'operator';
  environment: 'development' | 'staging' | 'production';
  csrf: string;
  expires_at: string;
};
export type Right = 'ADMIN' | 'EDIT' | 'APPROVE' | 'VIEW';

export type Membership = { organization_id: string; name: string; role: Me['role'] | null };

/** The person; or the organizations among which they have to choose first; or why nobody is signed in. */
export type Session = { me: Me } | { choose: Membership[]; csrf: string } | { refused: ApiFailure };

const [TOO_MANY, FAULT] = [429, 500];

async function readSession(): Promise<Session> {
  const response = await fetch('/auth/me').catch(() => {
    throw unreachable();
  });
  // What passes by itself ends no session: the page stays as it is.
  if (response.status === TOO_MANY || response.status >= FAULT) throw await failureOf(response);
  if (!response.ok) return { refused: await failureOf(response) };
  const { data } = (await response.json()) as { data: Me | (Omit<Me, 'member_id'> & { member_id: null }) };
  setCsrf(data.csrf);
  return data.member_id === null ? { choose: data.organizations, csrf: data.csrf } : { me: data };
}

const FRESH_MS = 60_000;

/** Somebody who is not signed in may be so since the page was looked at last, by another tab. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: ({ state: { data } }): number => (data && 'me' in data ? FRESH_MS : 0),
});

export const SIGNED_OUT = 401;
const HOME = import.meta.env.BASE_URL;

export const signInAddress = (path: string): string => `/auth/login?return_to=${encodeURIComponent(path)}`;

async function post(path: string, csrf: string, body: object): Promise<Response> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sluice-csrf': csrf },
    body: JSON.stringify(body),
  }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** Signs out here, and at the identity provider where it has a page for that; begins anew without anything of the session. */
export async function signOut(csrf: string, everywhere = false): Promise<void> {
  location.assign((await endSession(csrf, everywhere)) ?? HOME);
}

/** The page of the identity provider, if there is one. A session that has ended already is what was asked for. */
async function endSession(csrf: string, everywhere: boolean): Promise<string | null> {
  const response = await post('/auth/logout', csrf, { everywhere }).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.status === SIGNED_OUT) return null;
    throw error;
  });
  if (!response) return null;
  const { data } = (await response.json()) as { data: { end_session_url: string | null } };
  return data.end_session_url;
}

/** Goes on as a member of another of the person's organizations. */
export async function chooseOrganization(csrf: string, organization_id: string): Promise<void> {
  await post('/auth/organization', csrf, { organization_id });
  location.assign(HOME);
}
