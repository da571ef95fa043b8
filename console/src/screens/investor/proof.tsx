import { Button, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { save } from '../../ui/export-csv.ts';
import { Copy, count, money, words } from '../../ui/format.tsx';
import { termPrice, termRate } from '../../ui/format-market.ts';
import { Facts, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { SaveRows } from '../../ui/save-rows.tsx';
import { Status } from '../../ui/status.tsx';
import { DataTable } from '../../ui/table.tsx';
import { moneyColumn } from '../../ui/columns.tsx';

type AllocationProof = Records['AllocationProof'];

/** The rule and the book without names, from which the fill can be recomputed, and whether it agrees. */
export function Proof({ allocationId }: { allocationId: string }): ReactNode {
  const proof = useQuery({
    queryKey: ['allocations', allocationId, 'proof'],
    queryFn: () => sent(api.GET('/v1/api/investor/allocations/{allocationId}/proof', { params: { path: { allocationId } } })),
  });
  const found = proof.data?.data;
  return (
    <Part
      title="Proof of the fill"
      about="Every investor of the round sees the same rule and the same book, without names."
      acts={
        found && (
          <>
            <SaveJson label="Save the proof" name={`${allocationId}-proof.json`} text={`${JSON.stringify(found, null, 2)}\n`} />
            <SaveJson label="Save the book as it is hashed" name={`${allocationId}-book.json`} text={hashedText(found)} />
          </>
        )
      }
    >
      <Read from={proof}>
        {({ data }) => (
          <Stack gap="md">
            <Verified proof={data} />
            <Facts
              facts={[
                ['Round', data.kind === 'OFFERING' ? 'The offering' : 'Returned face, offered again'],
                ['Method', words(data.method)],
                ['On offer', money(data.size)],
                ['In steps of', money(data.increment)],
                ['Demand', money(data.demand)],
                ['Market yield', termRate(data.market_yield)],
                ['Yield', termRate(data.yield)],
                ['Price, clean', termPrice(data.price)],
              ]}
            />
            <Text size="sm" maw={720}>
              {data.rule}
            </Text>
            <DataTable
              label="The book without names"
              columns={columnsOf(data.own_entry)}
              rows={data.book}
              rowKey={({ entry }) => String(entry)}
              whole
              tools={<SaveRows label="The book without names" columns={columnsOf(data.own_entry)} rows={data.book} />}
            />
          </Stack>
        )}
      </Read>
    </Part>
  );
}

const SaveJson = ({ label, name, text }: { label: string; name: string; text: string }): ReactNode => (
  <Button size="compact-sm" variant="default" onClick={() => save(name, new Blob([text], { type: 'application/json' }))}>
    {label}
  </Button>
);

/** What the hash is of, with its keys in the order that the API names. */
const hashedText = ({ method, size, increment, market_yield, book }: AllocationProof): string =>
  JSON.stringify({
    method,
    size,
    increment,
    market_yield,
    book: book.map(({ entry, amount, minimum_amount, limit_yield }) => ({ entry, amount, minimum_amount, limit_yield })),
  });

const BYTE = 2;

/** The hash as this browser computes it; null until it has, undefined where the browser computes none. */
function useOwnHash(text: string): string | null | undefined {
  const [hash, setHash] = useState<string | null | undefined>(null);
  useEffect(() => {
    // A browser hashes only on pages that came over HTTPS or from this machine.
    if (!globalThis.isSecureContext) return setHash(undefined);
    let wanted = true;
    void crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)).then((digest) => {
      if (wanted) setHash([...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(BYTE, '0')).join(''));
    });
    return () => {
      wanted = false;
    };
  }, [text]);
  return hash;
}

function Verified({ proof }: { proof: AllocationProof }): ReactNode {
  const own = useOwnHash(hashedText(proof));
  return (
    <List size="sm" spacing={6} aria-label="How it is verified" listStyleType="none">
      <List.Item>
        {own === undefined ? (
          <Status of="UNVERIFIED" />
        ) : (
          <Status of={own === null ? 'RUNNING' : own === proof.book_hash ? 'AGREES' : 'DIFFERS'} />
        )}{' '}
        <b>The book is the one that was allocated.</b>{' '}
        {own === undefined
          ? 'This browser computes no hash on a page without HTTPS: save the book as it is hashed and run sha256sum over it.'
          : 'This browser has computed the SHA-256 of the book below.'}{' '}
        Other investors of the round have the same: <span className="id">{proof.book_hash}</span>{' '}
        <Copy value={proof.book_hash} what="the hash of the book" />
      </List.Item>
      <List.Item>
        <Status of={proof.recomputed_amount === proof.allocated_amount ? 'AGREES' : 'DIFFERS'} />{' '}
        <b>The rule gives what you were given.</b> Run again over this book it gives {money(proof.recomputed_amount)} for your
        entry {count(proof.own_entry)}; you were allocated {money(proof.allocated_amount)}.
      </List.Item>
      <List.Item>
        <Status of={proof.agrees ? 'AGREES' : 'DIFFERS'} /> <b>The gateway’s own verdict</b> of both.
      </List.Item>
    </List>
  );
}

const columnsOf = (own: number): readonly Column<Records['BookEntry']>[] => [
  {
    id: 'entry',
    title: 'Entry',
    value: ({ entry }) => entry,
    cell: ({ entry }) => (entry === own ? <b>{entry} (yours)</b> : entry),
  },
  moneyColumn('amount', 'Bid (US$)'),
  {
    id: 'minimum_amount',
    title: 'Least fill (US$)',
    number: true,
    value: ({ minimum_amount }) => minimum_amount,
    cell: ({ minimum_amount }) => (minimum_amount > 0 ? money(minimum_amount) : 'Any'),
  },
  {
    id: 'limit_yield',
    title: 'Limit yield',
    number: true,
    value: ({ limit_yield }) => limit_yield,
    cell: ({ limit_yield }) => (limit_yield === null ? 'Market' : termRate(limit_yield)),
  },
];
