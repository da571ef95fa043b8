import { Button, Group, JsonInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure, api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { Note } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { NumberField, type NumberFieldProps } from '../../ui/number-field.tsx';
import { readJson } from '../../ui/read-json.ts';
import { useUnsaved } from '../../ui/unsaved.ts';
import { Differences } from './figures.tsx';

type Pool = Records['Pool'];
type Report = Records['Remittance'];
type NewReport = Records['NewRemittance'];
type Cell = number | '';

const COLLATERAL = [
  ['beginning_pool_balance', 'Beginning balance'],
  ['scheduled_principal', 'Scheduled principal'],
  ['prepayments', 'Prepayments'],
  ['repurchases', 'Repurchases'],
  ['gross_losses', 'Gross losses'],
  ['recoveries', 'Recoveries'],
  ['interest', 'Interest'],
  ['fees', 'Fees'],
  ['ending_pool_balance', 'Ending balance'],
] as const;
const TRANCHE = [
  ['beginning_balance', 'Beginning balance'],
  ['interest_paid', 'Interest paid'],
  ['interest_shortfall', 'Interest shortfall'],
  ['principal_paid', 'Principal paid'],
  ['write_down', 'Write-down'],
  ['ending_balance', 'Ending balance'],
] as const;

type Figures<Fields extends readonly (readonly [string, string])[]> = Record<Fields[number][0], Cell>;
type Values = {
  payment_date: string;
  collateral: Figures<typeof COLLATERAL>;
  tranches: ({ tranche: string } & Figures<typeof TRANCHE>)[];
  /** Everything else that a report may have, as the API takes it. */
  more: string;
};

type Props = { pool: Pool; restates?: Report; close?: () => void };

/** The report of the next period, or of one that is restated: compared with the structure before it is sent. */
export function ReportForm({ pool, restates, close }: Props): ReactNode {
  const allowed = can(useMe(), 'EDIT');
  const period = restates?.period ?? (pool.last_remittance?.period ?? 0) + 1;
  const path = { poolId: pool.pool_id };
  const { form, submit } = useSubmit({
    initialValues: openingOf(pool, restates),
    done: () => (restates ? `Period ${period} is restated.` : `Period ${period} is reported.`),
    ...(close ? { after: close } : {}),
    send: (values: Values) => {
      const body = reportOf(period, values);
      return restates
        ? sent(
            api.POST('/v1/api/originator/pools/{poolId}/remittances/{remittanceId}/restate', {
              params: { path: { ...path, remittanceId: restates.remittance_id } },
              body,
            }),
          )
        : sent(api.POST('/v1/api/originator/pools/{poolId}/remittances', { params: { path }, body }));
    },
  });
  useUnsaved(form.isDirty(), `The report of period ${period} has figures that are not sent. Leave them?`);
  const verified = useMutation({
    mutationFn: (values: Values) =>
      sent(
        api.POST('/v1/api/originator/pools/{poolId}/remittances/verify', {
          params: { path },
          body: reportOf(period, values),
        }),
      ),
  });
  // What was compared says nothing of figures that were typed after it.
  const isCompared = JSON.stringify(verified.variables) === JSON.stringify(form.values);
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="md">
        <Group align="flex-end">
          <TextInput
            label={`Payment date of period ${period}`}
            type="date"
            required
            w={220}
            {...form.getInputProps('payment_date')}
          />
        </Group>
        <Inputs legend="Collateral (US$)" fields={COLLATERAL} propsOf={(name) => form.getInputProps(`collateral.${name}`)} />
        {form.values.tranches.map(({ tranche }, index) => (
          <Inputs
            key={tranche}
            legend={`Tranche ${tranche} (US$)`}
            fields={TRANCHE}
            propsOf={(name) => form.getInputProps(`tranches.${index}.${name}`)}
          />
        ))}
        <JsonInput
          label="More of the report"
          description="Available funds, fixings, fees, accounts, steps, triggers and whatever else a report may have, as the API takes it; collateral and tranches are completed by it."
          autosize
          minRows={2}
          maxRows={16}
          validationError="This is not JSON."
          {...form.getInputProps('more')}
        />
        {verified.error && <Problem error={verified.error} />}
        {verified.data &&
          (isCompared ? (
            <div>
              <Note color="gray">Compared with the structure; nothing has been sent.</Note>
              <Differences report={verified.data.data} />
            </div>
          ) : (
            <Note color="gray">The figures have changed since they were compared with the structure.</Note>
          ))}
        <Group justify="space-between" align="flex-start">
          <Button variant="default" loading={verified.isPending} onClick={() => verified.mutate(form.values)}>
            Compare with the structure
          </Button>
          {allowed ? (
            <FormEnd submit={submit} label={restates ? 'Restate' : 'Report'} {...(close ? { close } : {})} />
          ) : (
            <Note>Reporting needs the right EDIT.</Note>
          )}
        </Group>
      </Stack>
    </form>
  );
}

type InputsProps<Name extends string> = {
  legend: string;
  fields: readonly (readonly [Name, string])[];
  propsOf: (name: Name) => Pick<NumberFieldProps, 'value' | 'onChange'>;
};

const Inputs = <Name extends string>({ legend, fields, propsOf }: InputsProps<Name>): ReactNode => (
  <fieldset className="figures">
    <legend>{legend}</legend>
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs">
      {fields.map(([name, label]) => (
        <NumberField key={name} size="xs" label={label} hideControls thousandSeparator="," decimalScale={2} {...propsOf(name)} />
      ))}
    </SimpleGrid>
  </fieldset>
);

const blank = <Name extends string>(fields: readonly (readonly [Name, string])[]): Record<Name, Cell> => {
  const figures: Partial<Record<Name, Cell>> = {};
  for (const [name] of fields) figures[name] = '';
  return figures as Record<Name, Cell>;
};

type Tranches = { tranches?: { tranche: string; class?: string; balance?: number }[] } | null;

/** The period begins where the one before ended, and the first one with the closing balances. */
function openingOf(pool: Pool, restates: Report | undefined): Values {
  if (restates) return valuesOf(restates);
  const last = pool.last_remittance;
  const structure = pool.structure as Tranches;
  // The residual takes the rest: servicers report the notes.
  const notes = (structure?.tranches ?? []).filter((each) => each.class !== 'RESIDUAL');
  const balances = new Map(last?.tranches.map(({ tranche, balance }) => [tranche, balance]));
  return {
    payment_date: '',
    collateral: { ...blank(COLLATERAL), beginning_pool_balance: last?.pool.pool_balance ?? pool.balance },
    tranches: notes.map(({ tranche, balance }) => ({
      ...blank(TRANCHE),
      tranche,
      beginning_balance: balances.get(tranche) ?? balance ?? '',
    })),
    more: '',
  };
}

const known = <Name extends string>(fields: readonly (readonly [Name, string])[], from: Partial<Record<string, unknown>>) => {
  const figures = blank(fields);
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(from)) {
    const field = fields.find(([each]) => each === name)?.[0];
    if (field && typeof value === 'number') figures[field] = value;
    else if (name !== 'tranche') rest[name] = value;
  }
  return { figures, rest };
};

/** A report as it was sent: what has no field of the form stands in the rest. */
function valuesOf({ report }: Report): Values {
  const { payment_date, collateral, tranches, period: _, ...more } = report as NewReport;
  const pool = known(COLLATERAL, collateral);
  const each = tranches.map((tranche) => ({ tranche: tranche.tranche, ...known(TRANCHE, tranche) }));
  const left = {
    ...more,
    ...(Object.keys(pool.rest).length > 0 ? { collateral: pool.rest } : {}),
    ...(each.some(({ rest }) => Object.keys(rest).length > 0)
      ? { tranches: each.map(({ tranche, rest }) => ({ tranche, ...rest })) }
      : {}),
  };
  return {
    payment_date,
    collateral: pool.figures,
    tranches: each.map(({ tranche, figures }) => ({ tranche, ...figures })),
    more: Object.keys(left).length > 0 ? JSON.stringify(left, null, 2) : '',
  };
}

const filled = (figures: Record<string, Cell | string>): Record<string, number | string> => {
  const given: Record<string, number | string> = {};
  for (const [name, value] of Object.entries(figures)) if (value !== '') given[name] = value;
  return given;
};

/** The report as the API takes it; what is wrong in it, the API says. */
function reportOf(period: number, { payment_date, collateral, tranches, more }: Values): NewReport {
  const rest = parsed(more);
  const restOf = new Map((rest.tranches ?? []).map((each) => [each.tranche, each]));
  return {
    ...rest,
    period,
    payment_date,
    collateral: { ...rest.collateral, ...filled(collateral) },
    tranches: tranches.map((each) => ({ ...restOf.get(each.tranche), ...filled(each) })),
  } as NewReport;
}

function parsed(more: string): Partial<NewReport> {
  if (more.trim() === '') return {};
  const read = readJson(more);
  if ('value' in read) return read.value as Partial<NewReport>;
  const field = { field: 'more', code: 'invalid', message: read.problem };
  throw new ApiFailure(0, { message: 'The rest of the report cannot be sent.', code: 'NOT_SENT', errors: [field] });
}
