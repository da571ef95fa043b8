// The exit code for how a child ended, as a shell has it: 128 and the number of the signal that ended it.
import { constants } from 'node:os';

export const exitCodeOf = (code, signal) => (signal ? 128 + constants.signals[signal] : (code ?? 1));
