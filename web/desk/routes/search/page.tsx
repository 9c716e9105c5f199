import { Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import { useFilters } from '../../shared/filters.ts';
import { useTexts } from '../../shared/language.tsx';
import { Empty, Page, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { addressOf } from '../../shared/record-link.tsx';
import { wordOf } from '../../shared/status.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import { defineTexts } from '../../shared/texts.ts';

const searchTexts = defineTexts({
  about: [
    'Ищутся имя, город, название соревнования, ИИН или БИН, телефон, почта, номер сертификата, договора или счёта, номер записи (application/12) и номер запроса.',
    'Аты-жөні, қала, жарыс атауы, ЖСН немесе БСН, телефон, пошта, сертификат, шарт не шот нөмірі, жазба нөмірі (application/12) және сұрау нөмірі ізделеді.',
    'Searches names, cities, titles of events, IIN or BIN, phones, e-mails, numbers of certificates, agreements and invoices, records (application/12) and request ids.',
  ],
  nothing: (q: string) => [`«${q}»: ничего не найдено.`, `«${q}»: ештеңе табылмады.`, `Nothing is found for “${q}”.`],
  some: ['Это первые 20. Уточните запрос.', 'Бұл алғашқы 20. Сұрауды нақтылаңыз.', 'These are the first 20. Enter more words.'],
});

const mostResults = 20;

/** One field for everything: names, numbers and ids. The only result opens at once. */
export function RoutePage() {
  const { words, texts } = useTexts(searchTexts);
  const [{ q = '' }, change] = useFilters<'q'>();
  const found = useQuery({ ...read('/admin/search', { params: { query: { q } } }), enabled: q !== '', throwOnError: false });
  const results = found.data?.data.results ?? [];
  const [first] = results;
  const only = first !== undefined && results.length === 1 ? addressOf(first.kind, first.id) : null;
  if (only !== null) return <Navigate {...only} replace />;
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get('q');
    if (typeof typed === 'string') change({ q: typed.trim() });
  };
  return (
    <Page title={words.sections.search}>
      <form role="search" aria-label={words.searchPlaceholder} onSubmit={onSubmit}>
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
      {found.error !== null && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && results.length === 0 && <Empty>{texts.nothing(q)}</Empty>}
      {found.isLoading ? <Loader size="sm" /> : results.length === 0 && <Empty>{texts.about}</Empty>}
      {[...new Set(results.map(({ kind }) => kind))].map((kind) => (
        <Section key={kind} title={words.kinds[kind]}>
          <Stack gap={6}>
            {results
              .filter((result) => result.kind === kind)
              .map(({ id, title, subtitle }) => (
                <Group key={id} gap="0 10px">
                  <TextLink {...addressOf(kind, id)}>{title}</TextLink>
                  <Text size="sm" c="dimmed">
                    {kind === 'document' ? wordOf(subtitle, words.documentTypes) : subtitle}
                  </Text>
                </Group>
              ))}
          </Stack>
        </Section>
      ))}
      {results.length === mostResults && <Text size="sm">{texts.some}</Text>}
    </Page>
  );
}
