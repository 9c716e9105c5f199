import { Anchor, Badge, Grid, Group, Stack, Tabs, Text, Timeline } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components, paths } from '../../../../client/src/index.ts';
import { FoldedSection } from '../../shared/folded-section.tsx';
import { Empty, Facts, Page, Section } from '../../shared/page.tsx';
import { Paper, type PaperSource } from '../../shared/paper.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { Status, wordOf } from '../../shared/status.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import { Decision, type DecisionSpec, type RecordFacts } from './decision.tsx';
import { useRecordTexts } from './texts.ts';

type Process = components['schemas']['Process'];
type TimelinePath = Extract<keyof paths, `/${string}/{id}/timeline`>;
type Absent = null | undefined | false;

/** A record that this one is connected with; by default it is named by its kind, or by its type of document. */
interface Related {
  kind: string;
  id: number | string;
  name?: string;
  status?: string;
  type?: string;
  label?: string;
}

/** One decision of the past. */
interface PastDecision {
  decision: string;
  note: string | null;
  actor_id: number;
  at: string;
}

type NamedPaper = PaperSource & { name: string };

interface LayoutProps {
  kind: string;
  id: number;
  title: string;
  status: string;
  /** Flags of the record, in words. */
  flags?: readonly string[];
  /** What a decision rests on besides the status; a clerk who is refused reads which of them have changed. */
  facts: RecordFacts;
  related?: readonly (Related | Absent)[];
  /** Scans beside the form, one at a time. */
  papers?: readonly (NamedPaper | Absent)[];
  decision?: DecisionSpec;
  onDecided?: (() => void) | undefined;
  /** What else can be done to the record. */
  actions?: ReactNode;
  history?: readonly PastDecision[];
  process?: Process | undefined;
  /** Address of the timeline, which is read when it is opened. */
  timeline?: TimelinePath;
  /** Sections of this kind alone. */
  children?: ReactNode;
}

/** Breakpoints of the room that a record has: its page, or the place beside the queue. */
const breakpoints = { xs: '320px', sm: '560px', md: '680px', lg: '1000px', xl: '1200px' };

/** One layout for all records: the scan beside what is decided, and behind it what the record is connected with. */
export function RecordLayout({ kind, id, title, status, flags = [], related = [], papers = [], history = [], ...props }: LayoutProps) {
  const { words, texts, statusOf } = useRecordTexts();
  const { decision, onDecided, process, timeline } = props;
  const facts: RecordFacts = [[texts.status, statusOf(status)], ...props.facts];
  const scans = papers.filter((paper) => !!paper);
  const connected = related.filter((record) => !!record);
  const form = (
    <Stack gap="sm">
      {decision && <Decision {...decision} name={`${kind}-${id}`} title={title} facts={facts} onDecided={onDecided} />}
      <Section title={texts.facts}>
        <Facts facts={facts} />
      </Section>
      {props.children}
      {connected.length > 0 && <RelatedRecords records={connected} />}
      {history.length > 0 && <History decisions={history} />}
      {process && <ProcessSection process={process} />}
      {timeline && (
        <FoldedSection title={texts.timeline}>
          <Steps path={timeline} id={id} />
        </FoldedSection>
      )}
    </Stack>
  );
  return (
    <Page title={title} actions={props.actions}>
      <Group gap="xs">
        <Text size="sm">
          {wordOf(kind, words.kinds)} {id}
        </Text>
        <Status value={status} />
        {flags.map((flag) => (
          <Badge key={flag} color="orange.9" variant="outline" tt="none">
            {flag}
          </Badge>
        ))}
      </Group>
      {scans.length === 0 ? (
        form
      ) : (
        <Grid type="container" breakpoints={breakpoints} gap="sm">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Papers papers={scans} title={title} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>{form}</Grid.Col>
        </Grid>
      )}
    </Page>
  );
}

function Papers({ papers, title }: { papers: readonly NamedPaper[]; title: string }) {
  const panels = papers.map((paper) => <Paper key={paper.name} source={paper} title={`${paper.name}: ${title}`} />);
  if (papers.length === 1) return panels;
  return (
    <Tabs defaultValue="0" keepMounted={false}>
      <Tabs.List mb="xs">
        {papers.map(({ name }, index) => (
          <Tabs.Tab key={`${name} ${index}`} value={String(index)}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {panels.map((panel, index) => (
        <Tabs.Panel key={`${panel.key} ${index}`} value={String(index)}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function RelatedRecords({ records }: { records: readonly Related[] }) {
  const { words, texts } = useRecordTexts();
  return (
    <Section title={texts.related}>
      <Facts
        facts={records.map(({ kind, id, name = null, status, type, label }) => [
          label ?? (type === undefined ? wordOf(kind, words.kinds) : wordOf(type, words.documentTypes)),
          <Group gap="xs">
            <RecordLink kind={kind} id={id} name={name} />
            {status !== undefined && <Status value={status} />}
          </Group>,
        ])}
      />
    </Section>
  );
}

function History({ decisions }: { decisions: readonly PastDecision[] }) {
  const { words, texts, moment } = useRecordTexts();
  return (
    <Section title={texts.history}>
      <Stack gap="xs">
        {decisions.map(({ decision, note, actor_id: actor, at }, index) => (
          <div key={`${at} ${index}`}>
            <Group gap="xs">
              <Text size="sm">{wordOf(decision, words.decisions)}</Text>
              <Text size="xs" c="dimmed">
                {moment(at)}
              </Text>
              <RecordLink kind="user" id={actor} />
            </Group>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {note}
            </Text>
          </div>
        ))}
      </Stack>
    </Section>
  );
}

function ProcessSection({
  process: { workflow_id: workflow, status, waiting_for: party, next_timer_at: timer, url },
}: {
  process: Process;
}) {
  const { words, texts, moment, statusOf } = useRecordTexts();
  const link = (
    <TextLink to="/processes" search={{ q: workflow }}>
      {workflow}
    </TextLink>
  );
  return (
    <Section title={words.kinds.process}>
      <Facts
        facts={[
          [words.kinds.process, link],
          [texts.status, statusOf(status)],
          [words.statuses.waiting, party && wordOf(party, words.parties)],
          [texts.nextTimer, timer && moment(timer)],
        ]}
      />
      {url !== null && (
        <Anchor size="sm" href={url} target="_blank" rel="noreferrer">
          {texts.inTemporal}
        </Anchor>
      )}
    </Section>
  );
}

function Steps({ path, id }: { path: TimelinePath; id: number }) {
  const { words, texts, moment } = useRecordTexts();
  const { data: steps } = useSuspenseQuery(read(path, { params: { path: { id } } })).data;
  if (steps.length === 0) return <Empty>{words.none}</Empty>;
  return (
    <Timeline bulletSize={12} lineWidth={2}>
      {steps.map(({ at, text, actor, waiting_for: party, step }, index) => (
        <Timeline.Item key={`${at} ${step} ${index}`} title={text}>
          <Text size="xs">
            {moment(at)} · {wordOf(actor, words.parties)}
            {party !== null && ` · ${texts.afterwards(wordOf(party, words.parties))}`}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
