// Prints the id of a child process and keeps that child busy until it is killed itself.
import { openCompute } from '../compute.ts';
import { pidOf, spin } from './tasks-for-test.ts';

const compute = openCompute({ tableUrl: new URL('./tasks-for-test.ts', import.meta.url).href, slots: 1 });
const { pid } = await compute.run(pidOf, {}, { owner: 'org_ours' });
const busy = compute.run(spin, { ms: 120_000 }, { owner: 'org_ours' });
process.stdout.write(`${pid}\n`);
await busy;
