import { Button, Group, Modal, Stack, Tabs, Text, Textarea } from '@mantine/core';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { FieldProblem, Records } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { Note, Part } from '../../ui/page.tsx';
import { changesBetween } from './changes.ts';
import { faultsOf, readSet } from './criteria-data.ts';
import { useDraft } from './draft.ts';
import { gapsOf } from './gaps.ts';
import { DryRunPanel } from './dry-run.tsx';
import { useDryRun } from './dry-run-data.ts';
import { type Field, fieldsOf, type SetBody } from './language.ts';
import { Rules } from './rules.tsx';
import { Save } from './save.tsx';
import { Settings } from './settings.tsx';
import { Tests } from './tests.tsx';
import { Versions } from './versions.tsx';

type Props = {
  criteriaId: string | null;
  /** The set that is begun with. */
  initial: SetBody;
  /** The last version, which what is saved is compared with; null for a new set. */
  last: { version: number; body: SetBody } | null;
  dictionary: readonly Field[];
};

/** A set of criteria while it is written: as a form, as JSON, and what it does to a deal. */
export function Builder({ criteriaId, initial, last, dictionary }: Props): ReactNode {
  const me = useMe();
  const navigate = useNavigate();
  const [values, set] = useAddress();
  const draft = useDraft(initial);
  const { body } = draft;
  const [text, setText] = useState<string | null>(null);
  const [saveFaults, setSaveFaults] = useState<{ of: SetBody; faults: FieldProblem[] } | null>(null);
  const fields = useMemo(() => fieldsOf(dictionary, draft.rest.custom_fields), [dictionary, draft.rest.custom_fields]);
  const editable = can(me, 'EDIT');
  const refused = editable ? null : `A dry run needs the right EDIT; yours: ${me.rights.join(', ')}.`;
  const gaps = useMemo(() => gapsOf(body), [body]);
  const tried = useDryRun(values.deal, criteriaId, body, editable && gaps.length === 0);
  const faults = [...gaps, ...(saveFaults?.of === body ? saveFaults.faults : faultsOf(tried.error))];
  const changes = useMemo(() => (last ? changesBetween(last.body, body, fields) : []), [last, body, fields]);
  const context = { fields, valueSets: draft.rest.value_sets ?? {} };
  const unreadable = text === null ? null : readSet(text);
  const wrong = typeof unreadable === 'string' ? unreadable : null;
  const leaving = useRef(false);
  const saved = (next: Records['CriteriaSet']): void => {
    leaving.current = true;
    const search = { ...(values.deal ? { deal: values.deal } : {}), ...(values.tab ? { tab: values.tab } : {}) };
    void navigate({ to: '/criteria/$criteriaId', params: { criteriaId: next.criteria_id }, search });
  };
  const write = (next: string): void => {
    setText(next);
    const read = readSet(next);
    if (typeof read !== 'string') draft.replace(read);
  };
  const tab = values.tab === 'json' || (values.tab === 'versions' && last) ? values.tab : 'form';
  const json = text ?? JSON.stringify(body, null, 2);
  return (
    <div className="builder">
      <div>
        <Group justify="space-between" mb="sm" gap="xs">
          <Tabs
            value={tab}
            onChange={(next) => {
              // What can be read is the same in both: the text is written anew from the form.
              if (wrong === null) setText(null);
              set({ tab: next });
            }}
          >
            <Tabs.List>
              <Tabs.Tab value="form">Form</Tabs.Tab>
              <Tabs.Tab value="json">JSON</Tabs.Tab>
              {last && <Tabs.Tab value="versions">Versions ({last.version})</Tabs.Tab>}
            </Tabs.List>
          </Tabs>
          <Save
            criteriaId={criteriaId}
            latest={last?.version ?? 0}
            body={body}
            changes={changes}
            blocked={
              wrong !== null
                ? 'The text under JSON cannot be read: mend it, or take the form’s.'
                : gaps.length > 0
                  ? 'A rule or a test is not finished: what is missing stands at it.'
                  : null
            }
            setFaults={(next) => setSaveFaults({ of: body, faults: next })}
            saved={saved}
          />
        </Group>
        {wrong !== null && (
          <Note title="The text under JSON cannot be read">
            {wrong} The form shows the last text that could be read.{' '}
            <Button size="compact-xs" variant="default" onClick={() => setText(null)}>
              Take the form’s
            </Button>
          </Note>
        )}
        {!editable && <Note color="gray">You can read this set. To change it you need the right EDIT.</Note>}
        {tab === 'form' && (
          <fieldset disabled={!editable} className="bare">
            <Stack gap="md">
              <Settings draft={draft} fields={fields} faults={faults} />
              <Rules rules={draft.rules} context={context} faults={faults} found={tried.result} />
              <Tests tests={draft.tests} context={context} faults={faults} found={tried.result} />
            </Stack>
          </fieldset>
        )}
        {tab === 'json' && (
          <Part title="The set as it is sent" about="The same as the form: what is changed here is changed there.">
            <Textarea
              aria-label="The set as JSON"
              classNames={{ input: 'id' }}
              autosize
              minRows={20}
              maxRows={40}
              spellCheck={false}
              readOnly={!editable}
              value={json}
              error={wrong}
              onChange={({ currentTarget }) => write(currentTarget.value)}
            />
          </Part>
        )}
        {tab === 'versions' && criteriaId && last && <Versions criteriaId={criteriaId} latest={last.version} fields={fields} />}
      </div>
      <aside>
        <DryRunPanel
          loanType={body.loan_type}
          tried={tried}
          body={body}
          fields={fields}
          refused={refused}
          waits={gaps.length > 0}
        />
      </aside>
      <Unsaved dirty={last ? changes.length > 0 : body.loan_rules.length > 0} leaving={leaving} />
    </div>
  );
}

/** Asks before a page is left whose changes nobody has saved. */
function Unsaved({ dirty, leaving }: { dirty: boolean; leaving: { current: boolean } }): ReactNode {
  const isDirty = useRef(dirty);
  useEffect(() => {
    isDirty.current = dirty;
  }, [dirty]);
  const blocked = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty.current && !leaving.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty.current && !leaving.current,
    withResolver: true,
  });
  return (
    <Modal
      opened={blocked.status === 'blocked'}
      onClose={() => blocked.reset?.()}
      title="Leave without saving"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm">The changes of this set are not saved. They are lost when you leave the page.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => blocked.reset?.()}>
            Stay
          </Button>
          <Button color="red" onClick={() => blocked.proceed?.()}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
