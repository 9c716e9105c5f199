import { Alert, Button, FileButton, Flex, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type components, RegistryError } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Page, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { wordOf } from '../../shared/status.tsx';
import { leastScale, type Mark, MarkedPage, marks, useMarks } from './marks.tsx';
import { signingTexts } from './texts.ts';

const setting = read('/admin/federation-signing');
const firstLayout = { signature: { x: 110, y: 220, scale: 1 }, stamp: { x: 140, y: 215, scale: 1 } };

/** Who signs new agreements for the federation, and where signature and stamp lie on them. */
export function SigningPage() {
  const { words } = useLanguage();
  const texts = useTexts(signingTexts);
  const announce = useAnnounce();
  const client = useQueryClient();
  const { data: set } = useSuspenseQuery(setting).data;
  const [signer, setSigner] = useState({ name: set?.signer_name ?? '', position: set?.signer_position ?? '' });
  const [files, setFiles] = useState({ signature: set?.signature_file_id ?? null, stamp: set?.stamp_file_id ?? null });
  const placed = useMarks(set?.layout ?? firstLayout);
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
  return (
    <Page title={words.sections.signing}>
      <Text size="sm">{set === null ? texts.unset : texts.about}</Text>
      <Flex gap="md" direction={{ base: 'column', md: 'row' }}>
        <Stack
          gap="sm"
          flex="1 1 0"
          component="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (signature === null || stamp === null) return;
            const images = { signature_file_id: signature, stamp_file_id: stamp };
            save.mutate({ signer_name: signer.name, signer_position: signer.position, ...images, layout: placed.layout });
          }}
        >
          {(['name', 'position'] as const).map((field) => (
            <TextInput
              key={field}
              label={texts.signer[field]}
              required
              maxLength={200}
              value={signer[field]}
              onChange={({ currentTarget }) => setSigner({ ...signer, [field]: currentTarget.value })}
            />
          ))}
          {marks.map((mark) => (
            <Section
              key={mark}
              title={texts.marks[mark]}
              actions={
                <FileButton accept="image/png,image/webp" onChange={(file) => file && upload.mutate({ mark, file })}>
                  {(props) => (
                    <Button {...props} variant="default" loading={upload.isPending && upload.variables.mark === mark}>
                      {texts.upload[mark]}
                    </Button>
                  )}
                </FileButton>
              }
            >
              <Text size="sm">{texts.image}</Text>
              <Group gap="xs" mt="xs" grow align="flex-end">
                {(['x', 'y', 'scale'] as const).map((field) => (
                  <NumberInput
                    key={field}
                    size="xs"
                    label={texts.place[field]}
                    min={field === 'scale' ? leastScale : 0}
                    max={placed.limitsOf(mark)[field]}
                    step={field === 'scale' ? 0.1 : 1}
                    decimalScale={field === 'scale' ? 2 : 1}
                    value={placed.layout[mark][field]}
                    onChange={(value) => {
                      // An unfinished number is a text, or below the least scale.
                      if (typeof value === 'number' && (field !== 'scale' || value >= leastScale)) placed.move(mark, { [field]: value });
                    }}
                  />
                ))}
              </Group>
            </Section>
          ))}
          {upload.error !== null && <Problem error={upload.error} />}
          {save.error !== null && <Refusal error={save.error} />}
          <Group>
            <Button type="submit" loading={save.isPending} disabled={signature === null || stamp === null}>
              {words.save}
            </Button>
          </Group>
        </Stack>
        <Stack gap="xs" flex="1 1 0">
          <Text size="sm">{texts.keys}</Text>
          <MarkedPage marks={placed} files={files} />
        </Stack>
      </Flex>
    </Page>
  );
}

/** Says what is wrong with an image or its place; any other refusal as everywhere. */
function Refusal({ error }: { error: Error }) {
  const texts = useTexts(signingTexts);
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
