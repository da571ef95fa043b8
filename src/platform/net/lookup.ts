import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { type AddressPolicy, isMetadataName } from './addresses.ts';

export type Resolved = { address: string; family: number };

/** All addresses of a name. */
export type Resolver = (name: string) => Promise<Resolved[]>;

/** The system's own. While name servers are silent each look-up takes a thread of the process, of which there are few. */
export const systemResolver: Resolver = (name) => systemLookup(name, { all: true, verbatim: true });

/** The address policy forbids the address. The error does not name it: that would let customers map the network. */
export class AddressBlocked extends Error {
  readonly code = 'ADDRESS_BLOCKED';
  constructor() {
    super('the address is not allowed');
  }
}

/**
 * The addresses of a name if every one of them is allowed. A single forbidden address refuses the name, and so does the name of a
 * metadata service.
 */
export async function resolveAllowed(name: string, resolve: Resolver, allowed: AddressPolicy): Promise<Resolved[]> {
  if (isMetadataName(name)) throw new AddressBlocked();
  const all = await resolve(name);
  if (all.some(({ address }) => !allowed(address))) throw new AddressBlocked();
  return all;
}

/**
 * The look-up function for sockets. A socket connects to exactly the address that was checked, so a second look-up cannot return another
 * one.
 */
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
