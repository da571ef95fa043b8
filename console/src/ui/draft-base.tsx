import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { ApiFailure, STALE } from '../app/api.ts';
import { Note } from './page.tsx';

/** A record as it was read, with the tag of its version. */
export type Tagged<Kept> = { record: Kept; tag: string | null };

/** Parameters of a change of one version alone. */
export type IfMatch = { header?: { 'If-Match': string } };

type Options<Kept> = {
  /** As it was read last. */
  found: Tagged<Kept>;
  versionOf: (record: Kept) => string | number;
  /** What is edited, as it is now. */
  draft: unknown;
  /** Whether the draft has changes that are not saved. */
  dirty: (base: Kept) => boolean;
  /** Begins the draft anew from a record. */
  take: (record: Kept) => void;
};

/** The draft as it was saved. */
type Own = { version: string | number; sent: unknown; tag: string | null };

export type DraftBase<Kept> = {
  /** What the draft began from. */
  record: Kept;
  /** For a change of that version alone. */
  ifMatch: IfMatch;
  /** Whether leaving the draft would lose something. */
  unsaved: boolean;
  /** What was saved under the draft, or null. */
  meanwhile: string | number | null;
  /** Whether the draft was refused for a change of the record that is no part of it. */
  elsewhere: boolean;
  takeIt: () => void;
  keepMine: () => void;
  goOn: () => void;
  /** The draft was saved: that version is no one else's. */
  saved: (own: Own) => void;
  /** The draft was not saved: where the record is in another version, it is read. */
  failed: (error: unknown) => void;
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The version from which a draft began. One that somebody else saves takes the place of a clean draft, and of a changed one when the person says so. */
export function useDraftBase<Kept>({ found, versionOf, draft, dirty, take }: Options<Kept>): DraftBase<Kept> {
  const [base, setBase] = useState(found);
  // Until it is read.
  const [own, setOwn] = useState<Own | null>(null);
  // The tag under which the draft was refused.
  const [refused, setRefused] = useState<string | null>(null);
  const client = useQueryClient();
  const version = versionOf(found.record);
  const moved = version !== versionOf(base.record);
  const isOwn = version === own?.version;
  // A draft that is as it was saved is no one else's, also where the answer to its save was lost.
  const mine = moved && (isOwn || !dirty(base.record) || !dirty(found.record));
  const begin = (): void => {
    setBase({ record: found.record, tag: found.tag });
    setOwn(null);
    setRefused(null);
  };
  useEffect(() => {
    if (found.record === base.record && found.tag === base.tag) return;
    // The tag also changes with what is no part of the draft, such as a report of a pool.
    if (mine || isOwn) begin();
    else if (!moved) setBase({ record: found.record, tag: found.tag });
    // What was written since the save was sent is the draft from now on.
    if (mine && (!isOwn || isSame(own.sent, draft))) take(found.record);
  });
  const tag = own ? own.tag : base.tag;
  return {
    record: base.record,
    unsaved: dirty(base.record) && !(own && isSame(own.sent, draft)),
    ifMatch: tag ? { header: { 'If-Match': tag } } : {},
    meanwhile: moved && !mine ? version : null,
    elsewhere: refused !== null && found.tag !== refused && !moved && dirty(base.record),
    takeIt: () => {
      begin();
      take(found.record);
    },
    keepMine: begin,
    goOn: () => setRefused(null),
    saved: (next) => {
      setOwn(next);
      setRefused(null);
    },
    failed: (error) => {
      if (!(error instanceof ApiFailure) || error.status !== STALE) return;
      setRefused(tag);
      void client.invalidateQueries();
    },
  };
}

/** Said where the record was changed under a draft: what of the two goes on. */
export const Meanwhile = ({
  of: { meanwhile, elsewhere, takeIt, keepMine, goOn },
  after,
}: {
  of: Pick<DraftBase<unknown>, 'meanwhile' | 'elsewhere' | 'takeIt' | 'keepMine' | 'goOn'>;
  /** Forgets that the draft was refused for it. */
  after: () => void;
}): ReactNode => {
  const choose = (act: () => void) => () => {
    act();
    after();
  };
  if (elsewhere)
    return (
      <div role="status">
        <Note title="Something else of it was changed meanwhile">
          What you edit is as it was, and your changes are still here. Go on, and they are saved in the newer version.
          <Group gap="xs" mt="xs">
            <Button size="compact-sm" variant="default" onClick={choose(goOn)}>
              Go on with the newer version
            </Button>
          </Group>
        </Note>
      </div>
    );
  if (meanwhile === null) return null;
  return (
    <div role="status">
      <Note
        title={typeof meanwhile === 'number' ? `Version ${meanwhile} was saved meanwhile` : 'Another version was saved meanwhile'}
      >
        Take it, and your changes are gone; or keep yours, and saving replaces it.
        <Group gap="xs" mt="xs">
          <Button size="compact-sm" variant="default" onClick={choose(takeIt)}>
            Take it
          </Button>
          <Button size="compact-sm" variant="default" onClick={choose(keepMine)}>
            Keep mine
          </Button>
        </Group>
      </Note>
    </div>
  );
};
