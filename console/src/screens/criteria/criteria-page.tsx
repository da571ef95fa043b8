import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { When } from '../../ui/format.tsx';
import { ButtonTo, To } from '../../ui/link.tsx';
import { Note, Page, ToCome } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Builder } from './builder.tsx';
import { bodyOf, criteriaQuery, useDictionary } from './criteria-data.ts';
import type { Records } from '../../app/api.ts';

/** One set of criteria: its last version, or the one that the address names, to read and to go on from. */
export function CriteriaPage(): ReactNode {
  const { criteriaId = '' } = useParams({ strict: false });
  const [{ version }] = useAddress();
  const latest = useQuery(criteriaQuery(criteriaId));
  const chosen = useQuery({ ...criteriaQuery(criteriaId, Number(version)), enabled: version !== undefined });
  const shown = version === undefined ? latest : chosen;
  const older = shown.data && latest.data && shown.data.version < latest.data.version;
  return (
    <Page
      title={latest.data?.name ?? 'Criteria'}
      up={{ to: '/criteria', title: 'Criteria' }}
      about={
        shown.data ? (
          <>
            {shown.data.loan_type}, version {shown.data.version}, saved <When at={shown.data.created_at} />
          </>
        ) : shown.error ? null : (
          <ToCome width={240} />
        )
      }
      acts={
        <ButtonTo to="/criteria/new" search={{ from: criteriaId }} size="compact-sm" variant="default">
          Begin a new set from this
        </ButtonTo>
      }
    >
      {older && latest.data && (
        <Note>
          This is version {shown.data.version}. The last one is{' '}
          <To to="/criteria/$criteriaId" params={{ criteriaId }} size="sm" underline="always">
            version {latest.data.version}
          </To>
          ; what you save here becomes version {latest.data.version + 1}.
        </Note>
      )}
      <Read from={shown}>
        {(data) => (
          <Read from={latest}>{(last) => <Loaded key={`${data.version} ${last.version}`} set={data} last={last} />}</Read>
        )}
      </Read>
    </Page>
  );
}

function Loaded({ set, last }: { set: Records['CriteriaSet']; last: Records['CriteriaSet'] }): ReactNode {
  const dictionary = useDictionary(set.loan_type);
  return (
    <Read from={dictionary}>
      {(fields) => (
        <Builder
          criteriaId={set.criteria_id}
          initial={bodyOf(set)}
          last={{ version: last.version, body: bodyOf(last) }}
          dictionary={fields}
        />
      )}
    </Read>
  );
}
