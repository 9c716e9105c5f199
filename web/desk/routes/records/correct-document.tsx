import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { registry } from '../../shared/registry.ts';
import { recordTexts } from './texts.ts';

type Document = components['schemas']['DocumentRecord'];
type Correction = components['schemas']['DocumentCorrection'];

/** Corrects what is written down of a paper; its scan and its review stay. */
export function CorrectDocument({ document }: { document: Document }) {
  const { words } = useLanguage();
  const texts = useTexts(recordTexts);
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const send = ({ type, number = '', country = '', issued_at: issuedAt = '', expires_at: expiresAt = '' }: Record<string, string>) => {
    const body = {
      ...(type !== document.type && { type }),
      number: number || null,
      country: country || null,
      issued_at: issuedAt || null,
      expires_at: expiresAt || null,
      updated_at: document.updated_at,
    } as Correction;
    return registry.PATCH('/admin/records/document/{id}', { params: { path: { id: document.id } }, body });
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
          onSent={() => void client.invalidateQueries({ queryKey: ['/admin/records/document/{id}'] })}
          onClose={() => setIsOpen(false)}
        >
          <NativeSelect
            name="type"
            label={texts.type}
            defaultValue={document.type}
            data={Object.entries(words.documentTypes).map(([value, label]) => ({ value, label }))}
          />
          <TextInput name="number" label={texts.number} defaultValue={document.number ?? ''} />
          <TextInput name="country" label={texts.country} description={texts.countryHint} defaultValue={document.country ?? ''} />
          <TextInput name="issued_at" type="date" label={texts.issuedAt} defaultValue={document.issued_at ?? ''} />
          <TextInput
            name="expires_at"
            type="date"
            label={texts.expiresAt}
            description={texts.expiryHint}
            defaultValue={document.expires_at ?? ''}
          />
        </FormDialog>
      )}
    </>
  );
}
