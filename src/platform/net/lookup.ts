import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { type AddressPolicy, isMetadataName } from './addresses.ts';

export type Resolved = { address: string; family: number };

/** All addresses of a name. */
export type Resolver = (name: string) => Promise<Resolved[]>;

export const systemResolver: Resolver = (name) => systemLookup(name, { all: true, verbatim: true });

/** The address policy forbids the address. The error does not name it: that would let customers map the network. */
export class AddressBlocked extends Error {
  readonly code = 'ADDRESS_BLOCKED';
  constructor() {
    super('the address is not allowed');
  }
}

/** The addresses of a name when every one of them is allowed; one that is not refuses the name, and so does a metadata service's name. */
export async function resolveAllowed(name: string, resolve: Resolver, allowed: AddressPolicy): Promise<Resolved[]> {
  if (isMetadataName(name)) throw new AddressBlocked();
  const all = await resolve(name);
  if (all.some(({ address }) => !allowed(address))) throw new AddressBlocked();
  return all;
}

/** The hook by which sockets find addresses: what it returns is what the socket connects to, so there is no second look-up to trick. */
export function guardedLookup(resolve: Resolver, allowed: AddressPolicy): LookupFunction {
  return (name, options, done) => {
    resolveAllowed(name, resolve, allowed).then(
      (all) => {
        const [first] = all;
        if (!first) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
        if (options.all) return (done as (error: null, all: Resolved[]) => void)(null, all);
        done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    );
  };
}
