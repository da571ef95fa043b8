import { Failures } from '../../platform/failures.ts';

type Unsettled<Holder> = {
  /** The next holder behind an id that has something to be done. */
  find: (after: string) => Promise<Holder | null>;
  idOf: (holder: Holder) => string;
  settle: (holder: Holder) => Promise<void>;
};

/** Settles pools or pledges one after another; one whose files are damaged does not keep the others from it. Returns how many. */
export async function settleHolders<Holder>({ find, idOf, settle }: Unsettled<Holder>): Promise<number> {
  const failures = new Failures();
  let settled = 0;
  for (let holder = await find(''); holder; holder = await find(idOf(holder))) {
    const id = idOf(holder);
    const done = settle(holder).then(
      () => true,
      (error: unknown) => {
        throw new Error(`the loans of ${id} could not be settled`, { cause: error });
      },
    );
    if (await failures.keep(done)) settled += 1;
  }
  failures.throwAny();
  return settled;
}
