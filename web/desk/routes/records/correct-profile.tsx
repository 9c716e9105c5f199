import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { registry } from '../../shared/registry.ts';
import { recordTexts } from './texts.ts';

type Profile = components['schemas']['ProfileRecord'];
type Correction = components['schemas']['ProfileCorrection'];

/** Fields of a profile's data in the order of its form. */
export const profileFields = {
  athlete: [
    'last_name',
    'first_name',
    'middle_name',
    'birth_date',
    'gender',
    'citizenship',
    'iin',
    'phone',
    'city',
    'address',
    'blood_group',
  ],
  organizer: ['organization_name', 'bin', 'director_name', 'director_position', 'legal_address', 'phone', 'email', 'city'],
} as const;

/** Corrects the data of a profile; only changed fields are sent, and its reviews stay. */
export function CorrectProfile({ profile }: { profile: Profile }) {
  const { words } = useLanguage();
  const texts = useTexts(recordTexts);
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const stored = profile.data as Record<string, string | undefined>;
  const send = (fields: Record<string, string>) => {
    const changed = Object.entries(fields).filter(([name, value]) => value !== (stored[name] ?? ''));
    const data = Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])) as Correction['data'];
    return registry.PATCH('/admin/records/profile/{id}', {
      params: { path: { id: profile.id } },
      body: { data, updated_at: profile.updated_at },
    });
  };
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {texts.correct}
      </Button>
      {isOpen && (
        <FormDialog
          title={texts.correct}
          submit={words.save}
          send={send}
          onSent={() => void client.invalidateQueries({ queryKey: ['/admin/records/profile/{id}'] })}
          onClose={() => setIsOpen(false)}
        >
          {profileFields[profile.kind].map((name) =>
            name === 'gender' ? (
              <NativeSelect
                key={name}
                name={name}
                label={texts.fields[name]}
                defaultValue={stored[name]}
                data={Object.entries(texts.genders).map(([value, label]) => ({ value, label }))}
              />
            ) : (
              <TextInput
                key={name}
                name={name}
                label={texts.fields[name]}
                type={name === 'birth_date' ? 'date' : 'text'}
                defaultValue={stored[name] ?? ''}
              />
            ),
          )}
        </FormDialog>
      )}
    </>
  );
}
