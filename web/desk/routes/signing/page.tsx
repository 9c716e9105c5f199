import { Alert, Button, FileButton, Flex, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { useTexts } from '../../shared/language.tsx';
import { Page, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { wordOf } from '../../shared/status.tsx';
import { type Mark, MarkedPage, marks, type Place } from './marks.tsx';
import { signingTexts } from './texts.ts';

const setting = read('/admin/federation-signing');
const firstLayout = { signature: { x: 110, y: 220, scale: 1 }, stamp: { x: 140, y: 215, scale: 1 } };
const signerFields = ['signer_name', 'signer_position'] as const;
const placeFields = [
  ['x', { min: 0, max: 210 }],
  ['y', { min: 0, max: 297 }],
  ['scale', { min: 0.1, max: 3, step: 0.1 }],
] as const;

/** Who signs new agreements for the federation, and where signature and stamp lie on them. */
export function RoutePage() {
  const { words, texts } = useTexts(signingTexts);
  const announce = useAnnounce();
  const client = useQueryClient();
  const { data: set } = useSuspenseQuery(setting).data;
  const [files, setFiles] = useState({ signature: set?.signature_file_id ?? null, stamp: set?.stamp_file_id ?? null });
  const [layout, setLayout] = useState(set?.layout ?? firstLayout);
  const move = (mark: Mark, changes: Partial<Place>) => setLayout((old) => ({ ...old, [mark]: { ...old[mark], ...changes } }));
  const upload = useMutation({
    mutationFn: ({ mark, file }: { mark: Mark; file: File }) => registry.upload(mark, file, file.name),
    onSuccess: ({ id }, { mark }) => setFiles((old) => ({ ...old, [mark]: id })),
  });
  const save = useMutation({
    mutationFn: (body: components['schemas']['NewFederationSigning']) => registry.PUT('/admin/federation-signing', { body }),
    onSuccess: () => {
      announce(texts.saved);
      return client.invalidateQueries({ queryKey: setting.queryKey });
    },
  });
  const { signature, stamp } = files;
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const signer = Object.fromEntries(new FormData(event.currentTarget)) as Record<(typeof signerFields)[number], string>;
    if (signature !== null && stamp !== null) save.mutate({ ...signer, signature_file_id: signature, stamp_file_id: stamp, layout });
  };
  return (
    <Page title={words.sections.signing}>
      <Text size="sm">{set === null ? texts.unset : texts.about}</Text>
      <Flex gap="md" direction={{ base: 'column', md: 'row' }}>
        <form onSubmit={onSubmit} style={{ flex: '1 1 0' }}>
          <Stack gap="sm">
            {signerFields.map((field) => (
              <TextInput key={field} name={field} label={texts.signer[field]} required maxLength={200} defaultValue={set?.[field]} />
            ))}
            {marks.map((mark) => (
              <Section
                key={mark}
                title={texts.marks[mark]}
                actions={
                  <FileButton accept="image/png,image/webp" onChange={(file) => file && upload.mutate({ mark, file })}>
                    {(props) => (
                      <Button {...props} variant="default" loading={upload.isPending && upload.variables.mark === mark}>
                        {texts.upload(texts.marks[mark])}
                      </Button>
                    )}
                  </FileButton>
                }
              >
                <Text size="sm">{texts.image}</Text>
                <Group gap="xs" mt="xs" grow align="flex-end">
                  {placeFields.map(([field, limits]) => (
                    <NumberInput
                      key={field}
                      {...limits}
                      label={texts.place[field]}
                      decimalScale={2}
                      value={layout[mark][field]}
                      // An unfinished number is a text.
                      onChange={(value) => typeof value === 'number' && move(mark, { [field]: value })}
                    />
                  ))}
                </Group>
              </Section>
            ))}
            {upload.error !== null && <Problem error={upload.error} />}
            {save.error !== null && <Refusal error={save.error} />}
            <Button mr="auto" type="submit" loading={save.isPending} disabled={signature === null || stamp === null}>
              {words.save}
            </Button>
          </Stack>
        </form>
        <Stack gap="xs" flex="1 1 0">
          <Text size="sm">{texts.drag}</Text>
          <MarkedPage layout={layout} files={files} onMove={move} />
        </Stack>
      </Flex>
    </Page>
  );
}

/** Says what is wrong with an image or its place; any other refusal as everywhere. */
function Refusal({ error }: { error: Error }) {
  const { texts } = useTexts(signingTexts);
  const fields = error instanceof RegistryError ? (error.details.fields ?? []).filter((field) => typeof field !== 'string') : [];
  if (!fields.some(({ code }) => code in texts.problems)) return <Problem error={error} />;
  return (
    <Alert color="red" role="alert">
      {fields.map(({ path, code }) => (
        <Text key={path} size="sm">
          {texts.marks[path.includes('stamp') ? 'stamp' : 'signature']}: {wordOf(code, texts.problems)}
        </Text>
      ))}
    </Alert>
  );
}
