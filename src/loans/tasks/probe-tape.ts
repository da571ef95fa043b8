import { probeTape } from '../reading/probe.ts';

/** Reads the beginning of a tape in a child process. */
export const runTapeProbe = ({ path }: { path: string }) => probeTape(path);
