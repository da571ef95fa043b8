export type Opened = {
  /** Name of the file; null where the source has none. */
  name: string | null;
  /** Size in bytes; null where it is known only at the end. */
  size: number | null;
  /** Whether `open` can be called again. */
  replayable: boolean;
  open: () => AsyncIterable<Uint8Array>;
};
