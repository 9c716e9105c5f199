import { Button, Group, ScrollArea, Stack, Tabs, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { components } from '../../../../client/src/index.ts';
import { DialogButton } from '../../shared/action.tsx';
import { useTexts } from '../../shared/language.tsx';
import { Empty, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { reread } from '../../shared/queries.ts';
import { registry } from '../../shared/registry.ts';
import { useAnnounce } from '../../shared/shell.tsx';
import { BulkReview } from './bulk-review.tsx';
import { ExportOfList } from './export.tsx';
import { ApplicationLinks, RecordProblems } from './records.tsx';
import { nationalTexts } from './texts.ts';

const names = ['review', 'insurance', 'print'] as const;
type ListName = (typeof names)[number];
type Change = components['schemas']['NationalListChange'];

interface ListsProps {
  lists: Readonly<Record<ListName, readonly number[]>>;
  /** The records that are chosen in the table. */
  chosen: readonly number[];
  /** The year whose records can be added at once. */
  year: number;
}

/** The administrator's own lists, one at a time. */
export function Lists({ lists, ...choice }: ListsProps) {
  const { number, texts: all } = useTexts(nationalTexts);
  const texts = all.lists;
  return (
    <Section title={texts.title}>
      <Tabs defaultValue="review" keepMounted={false}>
        <Tabs.List mb="xs">
          {names.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {texts[name]} ({number(lists[name].length)})
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {names.map((name) => (
          <Tabs.Panel key={name} value={name}>
            <OneList list={name} ids={lists[name]} {...choice} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}

function OneList({ list, ids, chosen, year }: Omit<ListsProps, 'lists'> & { list: ListName; ids: readonly number[] }) {
  const { number, texts } = useTexts(nationalTexts);
  const announce = useAnnounce();
  const change = useMutation({
    mutationFn: (body: Change) => registry.POST(`/admin/national/lists/${list}`, { body }),
    onSuccess: ({ data: { added, removed } }) => {
      announce(texts.changed(number(added + removed)));
      return reread();
    },
  });
  const skipped = change.data?.data.skipped ?? [];
  const count = `(${number(chosen.length)})`;
  const actions: readonly [text: string, run: () => void, isPossible: boolean][] = [
    [`${texts.chosen.add} ${count}`, () => change.mutate({ operation: 'add', ids: [...chosen] }), chosen.length > 0],
    [`${texts.chosen.remove} ${count}`, () => change.mutate({ operation: 'remove', ids: [...chosen] }), chosen.length > 0],
    [`${texts.auto} ${year}`, () => change.mutate({ operation: 'auto', year }), true],
  ];
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {actions.map(([text, run, isPossible]) => (
          <Button key={text} variant="default" disabled={!isPossible || change.isPending} onClick={run}>
            {text}
          </Button>
        ))}
        <DialogButton
          label={texts.clear}
          disabled={ids.length === 0}
          title={texts.lists[list]}
          submit={`${texts.clear} (${number(ids.length)})`}
          send={() => change.mutateAsync({ operation: 'clear' })}
        >
          <Text size="sm">{texts.clearAbout}</Text>
        </DialogButton>
      </Group>
      {change.error !== null && <Problem error={change.error} />}
      <RecordProblems title={texts.skipped} records={skipped.map(({ id, reason }) => ({ id, problems: [reason] }))} />
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
    </Stack>
  );
}
