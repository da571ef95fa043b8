import { Select, Text, type ComboboxItem, type OptionsFilter } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { words } from '../../ui/format.tsx';
import { type Field, type Fields, kindOf, type Kind } from './language.ts';

type Props = {
  label: string;
  fields: Fields;
  value: string;
  onChange: (field: string) => void;
  /** Only fields whose values are of this kind. */
  kind?: Kind;
  width?: number;
};

/** What a field holds: its type, its unit and what it means. */
const aboutField = ({ type, unit, description, range }: Field): string =>
  [`${words(type)}${unit ? `, ${unit}` : ''}`, description, range?.text].filter(Boolean).join(' · ');

/** Chooses a field by name, by what it means or by a name that tapes give it. */
export function FieldPicker({ label, fields, value, onChange, kind, width = 200 }: Props): ReactNode {
  const options = useMemo(() => {
    const fitting = [...fields.values()].filter(({ type }) => !kind || kindOf(type) === kind);
    const data = fitting.map(({ field }) => ({ value: field, label: words(field) }));
    // A field that the dictionary does not have is shown as it is written: the API says what is wrong with it.
    return value === '' || data.some((each) => each.value === value) ? data : [...data, { value, label: value }];
  }, [fields, kind, value]);
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder="Choose a field"
      searchable
      allowDeselect={false}
      comboboxProps={{ width: 380, position: 'bottom-start' }}
      nothingFoundMessage="No field has that name or meaning."
      data={options}
      filter={filterOf(fields)}
      renderOption={({ option }) => {
        const field = fields.get(option.value);
        return (
          <div>
            <Text size="sm">{option.label}</Text>
            {field && (
              <Text size="xs" c="dimmed">
                {aboutField(field)}
              </Text>
            )}
          </div>
        );
      }}
      value={value || null}
      onChange={(next) => next && onChange(next)}
    />
  );
}

const filterOf =
  (fields: Fields): OptionsFilter =>
  ({ options, search }) => {
    const looked = search.trim().toLowerCase();
    const matches = (option: ComboboxItem): boolean => {
      const field = fields.get(option.value);
      return [option.label, option.value, field?.description ?? '', ...(field?.aliases ?? [])].some((text) =>
        text.toLowerCase().includes(looked),
      );
    };
    return options.filter((option) => 'value' in option && matches(option));
  };
