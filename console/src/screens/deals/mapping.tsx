import { Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { api, type Records, sent, sentTagged } from '../../app/api.ts';
import { can, isOperator, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { share, words } from '../../ui/format.tsx';
import { type DraftBase, Meanwhile, type Tagged, useDraftBase } from '../../ui/draft-base.tsx';
import { Loading, Note } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Read } from '../../ui/read.tsx';
import { useUnsaved } from '../../ui/unsaved.ts';
import type { Deal } from './deal-data.ts';
import { MappingPreview } from './mapping-preview.tsx';

type MappingRecord = Records['Mapping'];
type Entry = Records['MappingEntry'];

/** Which column is which field; a change is tried out before it is made. */
export function Mapping({ deal }: { deal: Deal }): ReactNode {
  const operator = isOperator(useMe());
  const params = { path: { dealId: deal.deal_id } };
  const mapping = useQuery({
    queryKey: ['deals', deal.deal_id, 'mapping', deal.tape_version, deal.qc?.state],
    // A draft stays on the page while the mapping is read after other checks.
    placeholderData: keepPreviousData,
    // The state of the checks comes back: what was read in it before is the mapping of other checks.
    staleTime: 0,
    queryFn: () =>
      operator
        ? sentTagged(api.GET('/v1/operator/deals/{dealId}/mapping', { params }))
        : sentTagged(api.GET('/v1/api/originator/loans/{dealId}/mapping', { params })),
  });
  return <Read from={mapping}>{({ envelope, tag }) => <Columns deal={deal} found={{ record: envelope.data, tag }} />}</Read>;
}

const targetsOf = ({ mappings }: MappingRecord): Record<string, string | null> =>
  Object.fromEntries(mappings.map(({ source, target }) => [source, target]));

/** The columns that are not matched by the saved mapping as they are by the draft. */
const differs = (saved: MappingRecord, targets: Record<string, string | null>): boolean => {
  const known = targetsOf(saved);
  return [...Object.keys(known), ...saved.unmapped].some((source) => (targets[source] ?? null) !== (known[source] ?? null));
};

/** A column whose field the draft gives to another one. */
type Loss = { from: string; to: string; field: string };

/** The fields that the draft takes from columns which it leaves without one. */
function lossesOf({ mappings }: MappingRecord, targets: Record<string, string | null>): Loss[] {
  const takers = new Map(Object.entries(targets).map(([source, target]) => [target, source]));
  return mappings.flatMap(({ source, target }) => {
    const to = takers.get(target);
    return to === undefined || to === source || targets[source] ? [] : [{ from: source, to, field: words(target) }];
  });
}

/** A field has one column: the one that had it is left without. */
const withField = (targets: Record<string, string | null>, source: string, target: string | null): typeof targets => ({
  ...Object.fromEntries(Object.entries(targets).map(([each, held]) => [each, held === target ? null : held])),
  [source]: target,
});

/** Which column is which field: how sure that is may change with other checks. */
const versionOf = (mapping: Pick<MappingRecord, 'mappings'>): string =>
  JSON.stringify(mapping.mappings.map(({ source, target }) => `${source} ${target}`).toSorted());

function Columns({ deal, found }: { deal: Deal; found: Tagged<MappingRecord> }): ReactNode {
  const me = useMe();
  const editable = !isOperator(me) && can(me, 'EDIT') && ['IN_REVIEW', 'QC_COMPLETED', 'DRAFT'].includes(deal.status);
  const [targets, setTargets] = useState(targetsOf(found.record));
  const base = useDraftBase({
    found,
    versionOf,
    draft: targets,
    dirty: (record) => differs(record, targets),
    take: (record) => setTargets(targetsOf(record)),
  });
  const mapping = base.record;
  const known = useMemo(() => targetsOf(mapping), [mapping]);
  const transforms = new Map(mapping.mappings.map(({ source, target, transform }) => [`${source} ${target}`, transform]));
  const fields = useFields(deal.loan_type, editable);
  const samples = useSamples(deal);
  const sources = [...mapping.mappings.map(({ source }) => source), ...mapping.unmapped];
  const suggested = new Map(mapping.suggestions.map((suggestion) => [suggestion.source, suggestion]));
  const changed = differs(mapping, targets);
  const losses = lossesOf(mapping, targets);
  useUnsaved(base.unsaved && editable, 'The mapping has changes that are not set. Leave them?');
  const entries = sources.flatMap((source): Entry[] => {
    const target = targets[source];
    // Without an entry the header would be matched again.
    if (!target) return known[source] ? [{ source, target: null }] : [];
    const transform = transforms.get(`${source} ${target}`);
    return [transform ? { source, target, transform } : { source, target }];
  });
  if (!samples) return <Loading />;
  return (
    <Stack gap="md">
      {mapping.missing_required.length > 0 && (
        <Note title="Required fields without a column">{mapping.missing_required.map(words).join(', ')}</Note>
      )}
      <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label="Mapping">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Column of the tape</Table.Th>
              <Table.Th>Values</Table.Th>
              <Table.Th>Field</Table.Th>
              <Table.Th>How it was found</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sources.map((source) => {
              const mapped = mapping.mappings.find((each) => each.source === source);
              const suggestion = suggested.get(source);
              const loss = losses.find(({ from }) => from === source);
              return (
                <Table.Tr key={source}>
                  <Table.Td maw="16rem">{source}</Table.Td>
                  <Table.Td>
                    <span className="id">
                      {suggestion?.samples_withheld ??
                        suggestion?.samples.map(({ value }) => value).join(' · ') ??
                        valuesOf(samples, mapped?.target)}
                    </span>
                  </Table.Td>
                  <Table.Td>
                    {editable ? (
                      <Select
                        size="xs"
                        miw="11rem"
                        aria-label={`Field of ${source}`}
                        placeholder="Not used"
                        searchable
                        clearable
                        data={fields}
                        value={targets[source] ?? null}
                        onChange={(value) => setTargets(withField(targets, source, value))}
                      />
                    ) : mapped ? (
                      words(mapped.target)
                    ) : (
                      'Not used'
                    )}
                    {loss && (
                      <Text size="xs">
                        Loses {loss.field} to {loss.to}.
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{howOf(mapped, suggestion)}</Table.Td>
                </Table.Tr>
              );
            })}
            {mapping.sealed.map(({ source, reason }) => (
              <Table.Tr key={source}>
                <Table.Td>{source}</Table.Td>
                <Table.Td>sealed</Table.Td>
                <Table.Td>Personal data</Table.Td>
                <Table.Td>{words(reason)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <div role="status">
        {losses.map(({ from, to, field }) => (
          <Text key={from} size="sm">
            {field} goes from {from} to {to}.
          </Text>
        ))}
      </div>
      {editable && (
        <Change deal={deal} draft={targets} entries={entries} changed={changed} base={base} reset={() => setTargets(known)} />
      )}
    </Stack>
  );
}

const SAMPLES = 3;

/** Some loans, for the values that mapped columns give; undefined while they are read. */
function useSamples({ deal_id: dealId, tape_version, qc, loan_count }: Deal): readonly Record<string, unknown>[] | undefined {
  const operator = isOperator(useMe());
  const params = { path: { dealId }, query: { limit: SAMPLES } };
  const loans = useQuery({
    queryKey: ['deals', dealId, 'samples', tape_version, qc?.state],
    enabled: loan_count > 0,
    queryFn: () =>
      operator
        ? sent(api.GET('/v1/operator/deals/{dealId}/loans', { params }))
        : sent(api.GET('/v1/api/originator/loans/{dealId}/loans', { params })),
  });
  return loans.isLoading ? undefined : (loans.data?.data ?? []);
}

function valuesOf(samples: readonly Record<string, unknown>[], target: string | undefined): string {
  const values =
    target === undefined ? [] : samples.map((loan) => loan[target]).filter((value) => value !== null && value !== undefined);
  return values.length === 0
    ? '–'
    : values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' · ');
}

const howOf = (mapped: Records['MappedColumn'] | undefined, suggestion: Records['MappingSuggestion'] | undefined): string => {
  if (mapped)
    return `${mapped.confidence === 1 ? 'Certain' : `Confidence ${share(mapped.confidence, 1)}`}${mapped.transform ? ', converted' : ''}`;
  return suggestion ? `Perhaps ${words(suggestion.target)} (${share(suggestion.confidence, 1)}): ${suggestion.reason}` : '–';
};

function useFields(loanType: Records['LoanType'], enabled: boolean): { value: string; label: string }[] {
  const dictionary = useQuery({
    queryKey: ['dictionary', loanType],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => sent(api.GET('/v1/api/originator/loans/dictionary', { params: { query: { type: loanType } } })),
  });
  return (
    dictionary.data?.data.map(({ field, required }) => ({
      value: field,
      label: `${words(field)}${required ? ' (required)' : ''}`,
    })) ?? []
  );
}

type ChangeProps = {
  deal: Deal;
  draft: Record<string, string | null>;
  entries: Entry[];
  changed: boolean;
  base: DraftBase<MappingRecord>;
  reset: () => void;
};

function Change({ deal, draft, entries, changed, base, reset }: ChangeProps): ReactNode {
  const params = { path: { dealId: deal.deal_id } };
  const client = useQueryClient();
  const body = { mappings: entries };
  const preview = useMutation({
    mutationFn: () => sent(api.POST('/v1/api/originator/loans/{dealId}/mapping/preview', { params, body })),
  });
  const apply = useMutation({
    mutationFn: (asSent: Pick<ChangeProps, 'draft' | 'entries'>) =>
      sentTagged(
        api.PUT('/v1/api/originator/loans/{dealId}/mapping', {
          params: { ...params, ...base.ifMatch },
          body: { mappings: asSent.entries },
        }),
      ),
    onSuccess: ({ envelope, tag }, asSent) => {
      base.saved({ version: versionOf(envelope.data), sent: asSent.draft, tag });
      notifications.show({ color: 'teal', message: 'The mapping is set; the tape is checked again.' });
      void client.invalidateQueries();
    },
    onError: base.failed,
  });
  return (
    <>
      <Meanwhile of={base} after={apply.reset} />
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          disabled={!changed}
          loading={preview.isPending}
          onClick={() => preview.mutate()}
        >
          Try it out
        </Button>
        <Button size="compact-sm" disabled={!changed} loading={apply.isPending} onClick={() => apply.mutate({ draft, entries })}>
          Set the mapping
        </Button>
        <Button size="compact-sm" variant="subtle" disabled={!changed} onClick={reset}>
          Undo
        </Button>
        <Act
          label="Forget the remembered mapping"
          right="EDIT"
          danger
          question={`The next tapes of the type ${deal.loan_type} are matched by their headers and values alone, whoever of your organization sends them. This tape stays as it is.`}
          run={() =>
            sent(
              api.DELETE('/v1/api/originator/loans/{dealId}/mapping/memory', {
                params: { ...params, query: { scope: 'organization' } },
              }),
            )
          }
          done="The mapping is forgotten."
        />
        {!changed && (
          <Text size="xs" c="dimmed">
            Choose other fields to try them out.
          </Text>
        )}
      </Group>
      {(preview.error ?? apply.error) && <Problem error={preview.error ?? apply.error} />}
      {preview.data && changed && <MappingPreview preview={preview.data.data} />}
    </>
  );
}
