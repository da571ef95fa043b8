type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };
type Line<Item, Result> = { waiting: Waiting<Item, Result>[]; busy: boolean };

const MOST_AT_ONCE = 256;

/**
 * Takes items of one line to the database together: while a trip is under way, those that come wait and are all on the next one. A
 * lone item does not wait. `makeTrip` answers every item, in their order.
 */
export function inCompany<Item, Result>(makeTrip: (line: string, items: readonly Item[]) => Promise<readonly Result[]>) {
  const lines = new Map<string, Line<Item, Result>>();
  const drive = async (name: string, line: Line<Item, Result>): Promise<void> => {
    line.busy = true;
    while (line.waiting.length > 0) await makeOneTrip(name, line.waiting.splice(0, MOST_AT_ONCE), makeTrip);
    lines.delete(name);
  };
  return (name: string, item: Item): Promise<Result> => {
    const line = lines.get(name) ?? { waiting: [], busy: false };
    lines.set(name, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ item, resolve, reject });
      if (!line.busy) void drive(name, line);
    });
  };
}

async function makeOneTrip<Item, Result>(
  name: string,
  trip: readonly Waiting<Item, Result>[],
  makeTrip: (line: string, items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<void> {
  try {
    const results = await makeTrip(
      name,
      trip.map((each) => each.item),
    );
    for (const [index, each] of trip.entries()) each.resolve(results[index] as Result);
  } catch (error) {
    for (const each of trip) each.reject(error);
  }
}
