import { Alert, Button, CopyButton, Group, Text } from '@mantine/core';
import { RegistryError } from '../../../client/src/index.ts';
import type { CommonWords } from './words.ts';
import { useLanguage } from './language.tsx';

/** Says a refusal in a sentence with its next step; an unknown one with its message and request id. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { words } = useLanguage();
  const { problems } = words;
  const requestId = error instanceof RegistryError ? error.requestId : null;
  return (
    <Alert color="red" role="alert">
      <Text size="sm">{sentenceOf(error, problems)}</Text>
      {fieldsOf(error).map((field) => (
        <Text key={field} size="sm">
          {field}
        </Text>
      ))}
      {requestId !== null && (
        <Text size="xs" mt={4}>
          {problems.requestId}: {requestId}
        </Text>
      )}
      <Group gap="xs" mt="xs">
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            {problems.again}
          </Button>
        )}
        {requestId !== null && (
          <CopyButton value={requestId}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? problems.copied : problems.copy}
              </Button>
            )}
          </CopyButton>
        )}
      </Group>
    </Alert>
  );
}

/** The sentence of a refusal. */
export function sentenceOf(error: unknown, problems: CommonWords['problems']): string {
  if (!(error instanceof RegistryError)) return problems.noNetwork;
  const known = Object.entries(problems.codes).find(([code]) => code === error.code);
  return known?.[1] ?? problems.unknown(error.message);
}

/** The wrong fields, as the API names them. */
function fieldsOf(error: unknown): string[] {
  if (!(error instanceof RegistryError)) return [];
  return (error.details.fields ?? []).map((field) =>
    typeof field === 'string' ? field : `${field.path.replace(/^body\./, '')}: ${field.message}`,
  );
}
