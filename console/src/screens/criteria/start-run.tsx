import { Button, Group, Select, Skeleton, Text, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { count, When } from '../../ui/format.tsx';
import { ButtonTo, To } from '../../ui/link.tsx';
import { Empty } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Read } from '../../ui/read.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { useSetsOf } from './criteria-data.ts';
import { useOwnAttempts } from '../../ui/own-attempts.ts';

const FORM_HEIGHT = 74;

/** Chooses a set and one of its versions, and runs it over the deal. */
export function StartRun({ deal }: { deal: Deal }): ReactNode {
  const me = useMe();
  const sets = useSetsOf(deal.loan_type);
  const [, setAddress] = useAddress();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [version, setVersion] = useState<string | null>(null);
  const all = sets.data?.data ?? [];
  const set = all.find(({ criteria_id }) => criteria_id === chosen) ?? (all.length === 1 ? all[0] : undefined);
  const ofForm = useOwnAttempts();
  const start = useMutation({
    mutationFn: () =>
      ofForm(() =>
        sent(
          api.POST('/v1/api/originator/sc/deals/{dealId}/run', {
            params: { path: { dealId: deal.deal_id } },
            body: { criteria_id: set?.criteria_id ?? '', version: Number(version ?? set?.version) },
          }),
        ),
      ),
    onSuccess: ({ data }) => {
      void client.invalidateQueries({ queryKey: ['criteria-runs'] });
      // The job is in the address: the page can be left and read again while it runs.
      setAddress({ run: data.sc_job_id ?? null, view: null });
    },
  });
  const refused = can(me, 'EDIT') ? null : `This needs the right EDIT; yours: ${me.rights.join(', ')}.`;
  // As high as the form, so that nothing below moves.
  if (!sets.data && !sets.error) return <Skeleton height={FORM_HEIGHT} />;
  return (
    <Read from={sets}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty>
            There are no criteria for {deal.loan_type} loans yet.{' '}
            <To to="/criteria" search={{ tab: 'templates', type: deal.loan_type }} size="sm" underline="always">
              Begin with a template
            </To>
            .
          </Empty>
        ) : (
          <>
            <Group align="flex-end" gap="sm">
              <Select
                size="xs"
                w={260}
                label="Criteria"
                placeholder="Choose a set"
                searchable
                allowDeselect={false}
                data={data.map(({ criteria_id, name }) => ({ value: criteria_id, label: name }))}
                value={set?.criteria_id ?? null}
                onChange={(next) => {
                  setChosen(next);
                  setVersion(null);
                }}
              />
              <Select
                size="xs"
                w={130}
                label="Version"
                disabled={!set}
                allowDeselect={false}
                data={Array.from({ length: set?.version ?? 0 }, (_, at) => String((set?.version ?? 0) - at))}
                value={version ?? (set ? String(set.version) : null)}
                onChange={setVersion}
              />
              <Tooltip label={refused} disabled={!refused} events={{ hover: true, focus: true, touch: true }}>
                <Button
                  size="compact-sm"
                  mb={3}
                  loading={start.isPending}
                  disabled={!set}
                  {...(refused ? { 'data-disabled': true, 'aria-disabled': true } : {})}
                  onClick={(event) => (refused ? event.preventDefault() : start.mutate())}
                >
                  Run
                </Button>
              </Tooltip>
              {set && (
                <ButtonTo
                  to="/criteria/$criteriaId"
                  params={{ criteriaId: set.criteria_id }}
                  search={{ deal: deal.deal_id }}
                  size="compact-sm"
                  variant="default"
                  mb={3}
                >
                  Change, with a dry run
                </ButtonTo>
              )}
            </Group>
            <Text size="xs" c="dimmed" mt={4}>
              {set ? (
                <>
                  {count(set.loan_rules.length)} loan rules and {count(set.pool_tests.length)} pool tests; version {set.version}{' '}
                  saved <When at={set.created_at} />.
                </>
              ) : (
                'A run takes the tape in force, and keeps its result.'
              )}
            </Text>
            {(pagination.total ?? 0) > data.length && (
              <Text size="xs" c="dimmed">
                The newest {count(data.length)} of {count(pagination.total)} sets are offered; the others run from their page by
                the API.
              </Text>
            )}
            {start.error && <Problem error={start.error} retry={() => start.mutate()} />}
          </>
        )
      }
    </Read>
  );
}
