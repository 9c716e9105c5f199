import { Button, Group, NumberInput, ScrollArea, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { FormDialog } from '../../shared/dialog.tsx';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Empty, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { BulkReview } from './bulk-review.tsx';
import { ExportOfList } from './export.tsx';
import { ApplicationLinks, RecordProblems } from './records.tsx';
import { nationalTexts } from './texts.ts';

const names = ['review', 'insurance', 'print'] as const;
type ListName = (typeof names)[number];
type Change = components['schemas']['NationalListChange'];

/** The administrator's own lists, one at a time. @param chosen in the table */
export function Lists({ lists, chosen }: { lists: Readonly<Record<ListName, readonly number[]>>; chosen: readonly number[] }) {
  const { number } = useLanguage();
  const texts = useTexts(nationalTexts);
  return (
    <Section title={texts.lists.title}>
      <Tabs defaultValue="review" keepMounted={false}>
        <Tabs.List mb="xs">
          {names.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {texts.lists[name]} ({number(lists[name].length)})
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {names.map((name) => (
          <Tabs.Panel key={name} value={name}>
            <OneList list={name} ids={lists[name]} chosen={chosen} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}

function OneList({ list, ids, chosen }: { list: ListName; ids: readonly number[]; chosen: readonly number[] }) {
  const { number } = useLanguage();
  const texts = useTexts(nationalTexts);
  const announce = useAnnounce();
  const client = useQueryClient();
  const [year, setYear] = useState<number | string>(new Date().getFullYear());
  const [asksToClear, setAsksToClear] = useState(false);
  const change = useMutation({
    mutationFn: (body: Change) => registry.POST(`/admin/national/lists/${list}`, { body }),
    onSuccess: ({ data }) => {
      announce(texts.changed(number(data.added), number(data.removed)));
      return client.invalidateQueries({ queryKey: ['/admin/national'] });
    },
  });
  const button = (text: string, body: Change, isDisabled: boolean) => (
    <Button
      variant="default"
      disabled={isDisabled}
      loading={change.isPending && change.variables.operation === body.operation}
      onClick={() => change.mutate(body)}
    >
      {text}
    </Button>
  );
  const count = number(chosen.length);
  const skipped = change.data?.data.skipped ?? [];
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {button(`${texts.chosen.add} (${count})`, { operation: 'add', ids: [...chosen] }, chosen.length === 0)}
        {button(`${texts.chosen.remove} (${count})`, { operation: 'remove', ids: [...chosen] }, chosen.length === 0)}
        <NumberInput
          size="xs"
          w={80}
          aria-label={texts.columns.year}
          min={2000}
          max={2099}
          allowDecimal={false}
          value={year}
          onChange={setYear}
        />
        {button(texts.auto, { operation: 'auto', year: Number(year) }, year === '')}
        {ids.length > 0 && (
          <Button variant="default" onClick={() => setAsksToClear(true)}>
            {texts.clear}
          </Button>
        )}
        {list !== 'review' && ids.length > 0 && (
          <Button variant="subtle" renderRoot={(props) => <Link to="/national" search={{ [list]: 'listed' }} {...props} />}>
            {texts.show}
          </Button>
        )}
      </Group>
      {change.error !== null && <Problem error={change.error} />}
      <RecordProblems
        title={texts.skipped}
        records={skipped.map(({ id, reason }) => ({ id, problems: [reason] }))}
        sentences={texts.problems}
      />
      {ids.length === 0 ? (
        <Empty>{texts.listEmpty}</Empty>
      ) : (
        <ScrollArea.Autosize mah={110} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': texts.lists[list] }}>
          <ApplicationLinks ids={ids} />
        </ScrollArea.Autosize>
      )}
      {list === 'review' ? (
        <BulkReview ids={ids} />
      ) : (
        <ExportOfList list={list} ids={ids} onRemove={(unfit) => change.mutate({ operation: 'remove', ids: unfit })} />
      )}
      {asksToClear && (
        <FormDialog
          title={texts.lists[list]}
          submit={texts.clear}
          send={() => change.mutateAsync({ operation: 'clear' })}
          onClose={() => setAsksToClear(false)}
        >
          <Text size="sm">{texts.clearAsk(number(ids.length))}</Text>
        </FormDialog>
      )}
    </Stack>
  );
}
