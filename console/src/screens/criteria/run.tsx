import { Progress, Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { count, Id, money, share, When } from '../../ui/format.tsx';
import { ButtonTo, To } from '../../ui/link.tsx';
import { Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { CompareRuns } from './compare.tsx';
import { CurePart } from './cure.tsx';
import { Downloads } from './exceptions.tsx';
import { isLive, type Run, type RunSet, useRun, useRunSet } from './run-data.ts';
import { RunLoans } from './run-loans.tsx';
import { RunSummary } from './run-summary.tsx';
import { Waivers } from './waivers.tsx';
import { RequestWaiver } from './waiver-request.tsx';

/** One run over the deal: how far it is, then what it found. */
export function RunResult({ deal, scJobId }: { deal: Deal; scJobId: string }): ReactNode {
  const run = useRun(scJobId);
  return (
    <Part
      title="Run of criteria"
      acts={
        <ButtonTo
          to="/deals/$dealId"
          params={{ dealId: deal.deal_id }}
          search={{ tab: 'criteria' }}
          size="compact-sm"
          variant="default"
        >
          All runs
        </ButtonTo>
      }
    >
      <Read from={run}>{(data) => <Found deal={deal} run={data} />}</Read>
    </Part>
  );
}

function Found({ deal, run }: { deal: Deal; run: Run }): ReactNode {
  const set = useRunSet(run, deal.loan_type);
  const whole = run.passed_balance + run.failed_balance;
  const done = run.status === 'COMPLETED';
  return (
    <>
      <Facts
        facts={[
          ['Status', <Status key="status" of={run.status} />],
          [
            'Criteria',
            <To
              key="criteria"
              to="/criteria/$criteriaId"
              params={{ criteriaId: run.criteria_id }}
              search={{ version: String(run.criteria_version), deal: deal.deal_id }}
              size="sm"
            >
              {set.data?.name ?? 'Criteria'}, version {run.criteria_version}
            </To>,
          ],
          ['Tape version', run.tape_version],
          ['Run at', <When key="at" at={run.run_at} />],
          ['Pass', done ? `${count(run.passed)} of ${count(run.total)} loans (${share(run.passed, run.total)})` : '–'],
          ['Eligible balance', done ? `${money(run.passed_balance)} (${share(run.passed_balance, whole)})` : '–'],
          ['Fail', done ? `${count(run.failed)} loans, ${money(run.failed_balance)}` : '–'],
          ['Pass by waiver', done ? count(run.waived) : '–'],
          ['Id', <Id key="id" of={run.sc_job_id} />],
        ]}
      />
      {isLive(run) && <InProgress run={run} />}
      {run.status === 'FAILED' && (
        <Note color="red" title="The run failed">
          {run.error ?? 'It ended without a result.'} Start it again under All runs.
        </Note>
      )}
      {run.status === 'CANCELLED' && <Note color="gray">The run was cancelled: it has no result.</Note>}
      {done && deal.tape_version !== null && run.tape_version !== deal.tape_version && (
        <Note>
          This run is of tape version {run.tape_version}; version {deal.tape_version} is in force. Run the criteria again for
          figures of today.
        </Note>
      )}
      {done && <Read from={set}>{(data) => <Views deal={deal} run={run} set={data} />}</Read>}
    </>
  );
}

function InProgress({ run }: { run: Run }): ReactNode {
  return (
    <div role="status" className="in-progress">
      <Text size="sm" fw={600}>
        {run.status === 'PENDING' ? 'The run waits for its turn' : 'The run is in progress'}
      </Text>
      <Progress value={100} animated aria-label="The run has not ended" my={4} />
      <Text size="xs" c="dimmed" mb={4}>
        Its progress is not known. You can leave this page: the run goes on, and an alert tells you when it has ended.
      </Text>
      <Act
        label="Cancel the run"
        right="EDIT"
        danger
        question="The run ends without a result. It can be started again."
        run={() => sent(api.DELETE('/v1/api/originator/sc/jobs/{scJobId}', { params: { path: { scJobId: run.sc_job_id } } }))}
        done="The run is cancelled."
      />
    </div>
  );
}

function Views({ deal, run, set }: { deal: Deal; run: Run; set: RunSet }): ReactNode {
  const [values, change] = useAddress();
  const view = values.view ?? 'summary';
  const parts = { deal, run, set };
  const file = run.exception_file_id;
  const views: [name: string, title: string, content: () => ReactNode][] = [
    ['summary', 'Summary', () => <RunSummary {...parts} />],
    ['loans', 'Loans', () => <RunLoans {...parts} />],
    ['cure', 'Cure', () => <CurePart {...parts} />],
    ['compare', 'Compare', () => <CompareRuns {...parts} />],
    ['waivers', 'Waivers', () => (file ? <Waivers dealId={deal.deal_id} fileId={file} /> : <NoFile />)],
  ];
  return (
    <>
      <div className="run-acts">
        {file ? (
          <>
            <Text size="sm">Exception file of {count(run.failed)} failed loans:</Text>
            <Downloads fileId={file} />
            {view !== 'loans' && <RequestWaiver run={run} set={set} loans={[]} />}
          </>
        ) : (
          <NoFile />
        )}
      </div>
      <Tabs
        value={view}
        onChange={(next) => change({ view: next, rule: null, outcome: null, objective: null, against: null, status: null })}
        keepMounted={false}
      >
        <Tabs.List>
          {views.map(([name, title]) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {views.map(([name, , content]) => (
          <Tabs.Panel key={name} value={name} pt="md">
            {content()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

const NoFile = (): ReactNode => (
  <Text size="sm" c="dimmed">
    No loan failed: there is no exception file, and nothing to waive.
  </Text>
);
