import type { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { type DraftBase, type IfMatch, Meanwhile, type Tagged, useDraftBase } from './draft-base.tsx';
import { type Submit, useSubmit } from './form.tsx';
import { useUnsaved } from './unsaved.ts';

type Options<Kept, Values, Answer> = {
  found: Tagged<Kept>;
  versionOf: (record: Kept) => string | number;
  valuesOf: (record: Kept) => Values;
  send: (values: Values, ifMatch: IfMatch) => Promise<{ envelope: Answer; tag: string | null }>;
  /** The record as it is saved; null where it waits for other people. */
  savedIn: (answer: Answer) => Kept | null;
  done: (values: Values) => string;
  after?: () => void;
};

/** A form that changes a record in the version from which it began, and says so when another one was saved meanwhile. */
export function useRecordForm<Kept, Values extends Record<string, unknown>, Answer>({
  found,
  versionOf,
  valuesOf,
  send,
  savedIn,
  done,
  after,
}: Options<Kept, Values, Answer>): { form: ReturnType<typeof useForm<Values>>; submit: Submit; meanwhile: ReactNode } {
  const { form, submit } = useSubmit<Values, Answer & { tag: string | null }>({
    initialValues: valuesOf(found.record),
    send: async (values) => {
      const { envelope, tag } = await send(values, base.ifMatch);
      return { ...envelope, tag };
    },
    done,
    after: (answer, values) => {
      const saved = savedIn(answer);
      if (saved) base.saved({ version: versionOf(saved), sent: values, tag: answer.tag });
      after?.();
    },
    failed: (error) => base.failed(error),
  });
  const base: DraftBase<Kept> = useDraftBase({
    found,
    versionOf,
    draft: form.values,
    dirty: (record) => JSON.stringify(valuesOf(record)) !== JSON.stringify(form.values),
    take: (record) => {
      form.setValues(valuesOf(record));
      form.clearErrors();
    },
  });
  useUnsaved(base.unsaved, 'There are changes that are not saved. Leave them?');
  return { form, submit, meanwhile: <Meanwhile of={base} after={submit.forgive} /> };
}
