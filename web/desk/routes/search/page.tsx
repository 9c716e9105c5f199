import { Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useRef } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useFilters } from '../../shared/filters.ts';
import { useKeys } from '../../shared/keys.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Empty, Page, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { addressOf } from '../../shared/record-link.tsx';
import { wordOf } from '../../shared/status.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import { searchTexts } from './texts.ts';

type Result = components['schemas']['SearchResults']['results'][number];

const mostResults = 20;

/** One field for everything: names, numbers and ids. */
export function SearchPage() {
  const { words } = useLanguage();
  const texts = useTexts(searchTexts);
  const navigate = useNavigate();
  const [{ q = '' }] = useFilters<'q'>();
  const found = useQuery({ ...read('/admin/search', { params: { query: { q } } }), enabled: q !== '', throwOnError: false });
  const results = found.data?.data.results;
  const page = useRef<HTMLDivElement>(null);
  const move = (step: 1 | -1) => {
    const links = [...(page.current?.querySelectorAll<HTMLElement>('section a') ?? [])];
    const now = links.findIndex((link) => link === document.activeElement);
    links[Math.min(Math.max(now + step, 0), links.length - 1)]?.focus();
  };
  useKeys([
    { key: 'j', text: texts.next, run: () => move(1) },
    { key: 'k', text: texts.previous, run: () => move(-1) },
  ]);
  const onArrow = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  };
  return (
    <Page title={words.sections.search}>
      <Stack ref={page} gap="sm" onKeyDown={onArrow}>
        <form
          role="search"
          aria-label={words.searchPlaceholder}
          onSubmit={(event) => {
            event.preventDefault();
            const typed = new FormData(event.currentTarget).get('q');
            if (typeof typed === 'string') void navigate({ to: '/search', search: { q: typed.trim() } });
          }}
        >
          <Group gap="xs" align="end" wrap="nowrap">
            <TextInput
              key={q}
              name="q"
              type="search"
              label={words.searchPlaceholder}
              defaultValue={q}
              maxLength={200}
              autoFocus={q === ''}
              flex={1}
              maw={420}
            />
            <Button type="submit">{words.sections.search}</Button>
          </Group>
        </form>
        {q === '' && <Empty>{texts.about}</Empty>}
        {found.isLoading && <Loader size="sm" />}
        {found.error !== null && <Problem error={found.error} onRetry={() => void found.refetch()} />}
        {results?.length === 0 && (
          <Empty>
            {texts.nothing(q)} {texts.about}
          </Empty>
        )}
        {results !== undefined && <Results results={results} />}
        {results?.length === mostResults && <Text size="sm">{texts.some}</Text>}
      </Stack>
    </Page>
  );
}

/** Results by kind; the only one opens at once. */
function Results({ results }: { results: readonly Result[] }) {
  const { words } = useLanguage();
  const [first] = results;
  const only = first !== undefined && results.length === 1 ? addressOf(first.kind, first.id) : null;
  if (only !== null) return <Navigate {...only} replace />;
  return [...new Set(results.map(({ kind }) => kind))].map((kind) => (
    <Section key={kind} title={words.kinds[kind]}>
      <Stack gap={6}>
        {results
          .filter((result) => result.kind === kind)
          .map(({ id, title, subtitle }) => (
            <Group key={id} gap="0 10px">
              <TextLink {...(addressOf(kind, id) ?? {})}>{title}</TextLink>
              <Text size="sm" c="dimmed">
                {kind === 'document' ? wordOf(subtitle, words.documentTypes) : subtitle}
              </Text>
            </Group>
          ))}
      </Stack>
    </Section>
  ));
}
