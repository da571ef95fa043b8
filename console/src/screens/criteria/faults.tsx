import { Box, List } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldProblem } from '../../app/api.ts';

type FaultsProps = { label: string; faults: readonly FieldProblem[]; say: (field: string) => string };

/** The API's complaints about a set, shown beside the part they concern; `say` names a field in the words of that part. */
export const Faults = ({ label, faults, say }: FaultsProps): ReactNode =>
  faults.length > 0 && (
    <Box role="alert" aria-label={label} mt={4}>
      <List size="xs" c="var(--mantine-color-error)">
        {faults.map(({ field, message }) => (
          <List.Item key={`${field} ${message}`}>
            {say(field)}
            {message}
          </List.Item>
        ))}
      </List>
    </Box>
  );
