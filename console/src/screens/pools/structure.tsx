import { Button, Group, List, SegmentedControl, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { ApiFailure, api, type Records, sent, sentTagged } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { count } from '../../ui/format.tsx';
import { Meanwhile, useDraftBase } from '../../ui/draft-base.tsx';
import { Empty, Note, Part } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Read } from '../../ui/read.tsx';
import { Capital } from './capital.tsx';
import { type Change, changesBetween, problemsAt, type Problems, type Structure } from './draft.ts';
import { Steps } from './steps.tsx';
import { Templates } from './templates.tsx';
import { Terms } from './terms.tsx';
import { Tranches } from './tranches.tsx';
import { Triggers } from './triggers.tsx';
import { JsonField } from '../../ui/typed-field.tsx';
import { useUnread } from '../../ui/unread.tsx';
import { useUnsaved } from '../../ui/unsaved.ts';

const EMPTY: Structure = { tranches: [], waterfall: [] };
const EDITED = ['DRAFT', 'STRUCTURED'];
const NONE: Problems = [];

const structureOf = ({ structure }: Records['Pool']): Structure => (structure ?? EMPTY) as Structure;

/** The liabilities of a pool: written as a form or as JSON, both the same value, and read as sentences. */
export function StructureEditor({ pool, tag }: { pool: Records['Pool']; tag: string | null }): ReactNode {
  const [values, set] = useAddress();
  const [draft, setDraft] = useState<Structure>(structureOf(pool));
  // Of the fields: another round begins them anew, those that could not be read too.
  const [round, setRound] = useState(0);
  const begin = (next: Structure): void => {
    setDraft(next);
    setRound(round + 1);
  };
  const base = useDraftBase({
    found: { record: pool, tag },
    versionOf: ({ structure_version }) => structure_version,
    draft,
    dirty: (record) => changesBetween(structureOf(record), draft).length > 0,
    take: (record) => setDraft(structureOf(record)),
  });
  const takeIt = (): void => {
    base.takeIt();
    setRound(round + 1);
  };
  const saved = structureOf(base.record);
  const editable = EDITED.includes(pool.status);
  const view = editable ? (values.view ?? 'form') : 'terms';
  const changes = changesBetween(saved, draft);
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: (body: Structure) =>
      sentTagged(
        api.PUT('/v1/api/originator/pools/{poolId}/structure', {
          params: { path: { poolId: pool.pool_id }, ...base.ifMatch },
          body,
        }),
      ),
    onSuccess: ({ envelope: { data }, tag }, body) => {
      base.saved({ version: data.structure_version, sent: body, tag });
      notifications.show({ color: 'teal', message: `Version ${data.structure_version} of the structure is saved.` });
      void client.invalidateQueries();
    },
    onError: base.failed,
  });
  useUnsaved(base.unsaved && editable, 'The structure has changes that are not saved. Leave them?');
  const problems: Problems = saving.error instanceof ApiFailure ? saving.error.fields : NONE;
  const change = (next: Structure): void => setDraft(next);
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="How the structure is shown"
          data={[
            ...(editable
              ? [
                  { value: 'form', label: 'Form' },
                  { value: 'json', label: 'JSON' },
                ]
              : []),
            { value: 'terms', label: 'In sentences' },
          ]}
          value={view}
          onChange={(next) => set({ view: next })}
        />
        {editable && <Templates pool={pool} take={begin} />}
      </Group>
      {view === 'terms' && <Explained pool={pool} unsaved={changes.length > 0} />}
      {view === 'json' && (
        <JsonField
          key={round}
          label="Structure"
          value={draft}
          // Written as it was typed; whether it is a structure, the API says.
          set={(value) => change((value ?? EMPTY) as Structure)}
          problems={problems.map(({ field, message }) => `${field}: ${message}`)}
        />
      )}
      {view === 'form' && <Form key={round} pool={pool} draft={draft} set={change} problems={problems} />}
      {editable && <Meanwhile of={{ ...base, takeIt }} after={saving.reset} />}
      {editable && view !== 'terms' && (
        <SaveBar
          changes={changes}
          failure={saving.error}
          problems={problems}
          busy={saving.isPending}
          save={() => saving.mutate(draft)}
          undo={() => {
            saving.reset();
            begin(saved);
          }}
        />
      )}
    </Stack>
  );
}

type FormProps = { pool: Records['Pool']; draft: Structure; set: (draft: Structure) => void; problems: Problems };

function Form({ pool, draft, set, problems }: FormProps): ReactNode {
  const part = (name: keyof Structure & string, title: string, placeholder: string): ReactNode => (
    <Part title={title}>
      <JsonField
        label={`${title}, as JSON`}
        placeholder={placeholder}
        value={draft[name]}
        set={(value) => {
          const { [name]: _, ...rest } = draft;
          set({ ...rest, ...(value === undefined ? {} : { [name]: value }) } as Structure);
        }}
        problems={problemsAt(problems, name)}
      />
    </Part>
  );
  return (
    <Stack gap="lg">
      <Part title="Tranches" about="An amount is typed as 250k or 25m, too.">
        <Stack gap="md">
          <Capital tranches={draft.tranches} pool={pool.balance} />
          <Tranches tranches={draft.tranches} set={(tranches) => set({ ...draft, tranches })} problems={problems} />
        </Stack>
      </Part>
      <Part title="Waterfall" about="Steps pay in this order each month. The last one is the residual.">
        <Steps steps={draft.waterfall} set={(waterfall) => set({ ...draft, waterfall })} problems={problems} />
      </Part>
      <Part title="Triggers">
        <Triggers triggers={draft.triggers ?? []} set={(triggers) => set(withTriggers(draft, triggers))} problems={problems} />
      </Part>
      {part('fees', 'Fees', '[{ "fee": "servicing", "percent": 1, "of": "POOL_BEGINNING" }]')}
      {part(
        'accounts',
        'Accounts',
        '[{ "account": "reserve", "initial": 500000, "target": 500000, "draws": ["FEE", "INTEREST"] }]',
      )}
      {part('payment', 'Payment', '{ "first_payment_date": "2027-01-15", "rounding": "CENT" }')}
      {part('losses', 'Losses', '{ "mode": "NONE" }')}
      {part('clean_up_call', 'Clean-up call', '{ "percent": 10, "exercised": true }')}
      {part('calls', 'Other calls', '[]')}
      {part('pool', 'Pool', '{}')}
    </Stack>
  );
}

const withTriggers = (draft: Structure, triggers: NonNullable<Structure['triggers']>): Structure => {
  const { triggers: _, ...rest } = draft;
  return triggers.length === 0 ? rest : { ...rest, triggers };
};

type BarProps = {
  changes: readonly Change[];
  failure: unknown;
  problems: Problems;
  busy: boolean;
  save: () => void;
  undo: () => void;
};

const SHOWN_CHANGES = 12;

/** What has changed since the structure was saved, what the API says of it, and the way to save it. */
function SaveBar({ changes, failure, problems, busy, save, undo }: BarProps): ReactNode {
  const me = useMe();
  const allowed = can(me, 'EDIT');
  const unread = useUnread();
  return (
    <section className="card" aria-label="Changes">
      <Stack gap="xs">
        {changes.length === 0 ? (
          <Empty>Nothing has changed since it was saved.</Empty>
        ) : (
          <List size="sm" spacing={2}>
            {changes.slice(0, SHOWN_CHANGES).map(({ path, before, after }) => (
              <List.Item key={path}>
                <span className="id">{path}</span>: {short(before)} → {short(after)}
              </List.Item>
            ))}
            {changes.length > SHOWN_CHANGES && (
              <List.Item>and {count(changes.length - SHOWN_CHANGES)} more, which JSON shows.</List.Item>
            )}
          </List>
        )}
        {problems.length > 0 ? (
          <Note color="red" title="The structure was not saved">
            <List size="sm" spacing={2}>
              {problems.map(({ field, message }) => (
                <List.Item key={`${field} ${message}`}>
                  <span className="id">{field}</span>: {message}
                </List.Item>
              ))}
            </List>
          </Note>
        ) : (
          failure instanceof Error && <Problem error={failure} />
        )}
        {unread && <Note color="red">{unread}</Note>}
        <Group justify="flex-end" gap="xs">
          {!allowed && <span>Saving needs the right EDIT.</span>}
          <Button variant="default" disabled={changes.length === 0 && unread === null} onClick={undo}>
            Take the changes back
          </Button>
          <Button disabled={changes.length === 0 || !allowed || unread !== null} loading={busy} onClick={save}>
            Save the structure
          </Button>
        </Group>
      </Stack>
    </section>
  );
}

const LONGEST = 60;
const short = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

function Explained({ pool, unsaved }: { pool: Records['Pool']; unsaved: boolean }): ReactNode {
  const explained = useQuery({
    queryKey: ['pools', pool.pool_id, 'explained', pool.structure_version],
    enabled: pool.structure !== null,
    queryFn: () =>
      sent(api.GET('/v1/api/originator/pools/{poolId}/structure/explain', { params: { path: { poolId: pool.pool_id } } })),
  });
  if (pool.structure === null) return <Empty>There is no structure yet. Start from a template, or write one.</Empty>;
  return (
    <>
      {unsaved && <Note>These are the sentences of the saved version; your changes are not in them yet.</Note>}
      <Read from={explained}>{({ data }) => <Terms terms={data} />}</Read>
    </>
  );
}
