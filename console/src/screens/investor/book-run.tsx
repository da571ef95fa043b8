import { Button, List, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { count, Day, Id, When } from '../../ui/format.tsx';
import { Empty, Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { BookResults } from './book-results.tsx';
import { DealName, TrancheName } from './names.tsx';

type Run = Records['PortfolioScenarios'];

const POLL_MS = 1_000;
const [WHOLE, NOTHING_YET] = [100, 2];

/** The book under scenarios: how far it is, what is left out and why, and what came of it. */
export function BookRun({ calculationId, close }: { calculationId: string; close: () => void }): ReactNode {
  const run = useQuery({
    queryKey: ['portfolio', 'scenarios', calculationId],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/scenarios/{calculationId}', { params: { path: { calculationId } } })),
    refetchInterval: ({ state }) => (state.data?.data.status === 'RUNNING' ? POLL_MS : false),
  });
  return (
    <Part
      title="The book under scenarios"
      acts={
        <>
          <Button size="compact-sm" variant="default" onClick={() => window.print()}>
            Print
          </Button>
          <Button size="compact-sm" variant="default" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      <Read from={run}>{({ data }) => <Shown run={data} />}</Read>
    </Part>
  );
}

const Shown = ({ run }: { run: Run }): ReactNode => (
  <Stack gap="md">
    <Facts
      facts={[
        ['Status', <Status key="status" of={run.status} />],
        ['Positions at the end of', <Day key="as-of" at={run.as_of} />],
        ['Positions', count(run.position_count)],
        ['Deals', `${count(run.deals_done)} of ${count(run.deal_count)} done`],
        ['Calculated', <When key="completed" at={run.completed_at} />],
        ['Id', <Id key="id" of={run.calculation_id} />],
      ]}
    />
    {run.status === 'RUNNING' && <Running run={run} />}
    {run.left_out.length > 0 && <LeftOut run={run} />}
    {run.warnings.map(({ deal_id, warnings }) => (
      <Note key={deal_id} color="gray">
        <DealName deal_id={deal_id} />
        <details>
          <summary>What its calculation supposed ({count(warnings.length)})</summary>
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </details>
      </Note>
    ))}
    {run.status === 'COMPLETED' &&
      (run.position_count === 0 ? (
        <Empty>There was no position with a balance on that day, so there is nothing to value.</Empty>
      ) : (
        <BookResults run={run} results={run.results ?? []} />
      ))}
  </Stack>
);

const Running = ({ run: { deals_done, deal_count } }: { run: Run }): ReactNode => (
  <div role="status">
    <Progress
      value={Math.max(NOTHING_YET, (WHOLE * deals_done) / Math.max(1, deal_count))}
      animated
      striped
      aria-label="Deals that are calculated"
    />
    <Text size="xs" c="dimmed" mt={4}>
      {count(deals_done)} of {count(deal_count)} deals are calculated. You can leave this page: the address leads back to it, and
      an alert tells you when it is complete.
    </Text>
  </div>
);

const LeftOut = ({ run: { left_out } }: { run: Run }): ReactNode => (
  <Note title="In none of these figures">
    <List size="sm">
      {left_out.map(({ deal_id, tranche_ids, code, reason }) => (
        <List.Item key={`${deal_id} ${code}`}>
          {tranche_ids.map((tranche_id, at) => (
            <span key={tranche_id}>
              {at > 0 && ', '}
              <TrancheName deal_id={deal_id} tranche_id={tranche_id} />
            </span>
          ))}
          : {reason}.
        </List.Item>
      ))}
    </List>
  </Note>
);
