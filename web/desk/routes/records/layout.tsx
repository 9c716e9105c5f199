import { Anchor, Badge, Button, Grid, Group, Stack, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { Empty, type Fact, Facts, Page, Section } from '../../shared/page.tsx';
import { Problem } from '../../shared/problem.tsx';
import { read } from '../../shared/queries.ts';
import { RecordLink } from '../../shared/record-link.tsx';
import { Status, wordOf } from '../../shared/status.tsx';
import { TextLink } from '../../shared/text-link.tsx';
import type { CommonWords } from '../../shared/words.ts';
import { Decision, type DecisionSpec, type RecordFacts } from './decision.tsx';
import { recordTexts } from './texts.ts';

type Process = components['schemas']['Process'];

/** One decision of the past. */
interface PastDecision {
  decision: string;
  note: string | null;
  actor_id: number;
  at: string;
}

interface LayoutProps {
  kind: string;
  id: number;
  title: string;
  status: string;
  /** Flags of the record, in words. */
  flags?: readonly string[];
  /** What a decision rests on; a clerk who is refused reads which of them have changed. */
  facts: RecordFacts;
  /** Related records. */
  related?: readonly Fact[];
  /** A scan beside the form. */
  paper?: ReactNode;
  decision?: DecisionSpec | undefined;
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

type TimelinePath =
  | '/applications/{id}/timeline'
  | '/contracts/{id}/timeline'
  | '/documents/{id}/timeline'
  | '/event-registrations/{id}/timeline'
  | '/events/{id}/timeline'
  | '/invoices/{id}/timeline';

/** Breakpoints of the room that a record has: its page, or the place beside the queue. */
const breakpoints = { xs: '320px', sm: '560px', md: '760px', lg: '1000px', xl: '1200px' };

/** One layout for all records: the scan beside what is decided, and behind it what the record is connected with. */
export function RecordLayout(props: LayoutProps) {
  const { words } = useLanguage();
  const texts = useTexts(recordTexts);
  const { kind, id, title, status, flags = [], facts, paper, decision, related = [], history = [], process, timeline } = props;
  const name = wordOf(kind, words.kinds);
  const form = (
    <Stack gap="sm">
      {decision !== undefined && <Decision {...decision} name={`${kind}-${id}`} title={title} facts={facts} onDecided={props.onDecided} />}
      <Section title={texts.facts}>
        <Facts facts={facts} />
      </Section>
      {props.children}
      {related.length > 0 && (
        <Section title={texts.related}>
          <Facts facts={related} />
        </Section>
      )}
      {history.length > 0 && <History decisions={history} />}
      {process !== undefined && <ProcessSection process={process} />}
      {timeline !== undefined && <TimelineSection path={timeline} id={id} />}
    </Stack>
  );
  return (
    <Page title={title} actions={props.actions}>
      <Group gap="xs">
        <Text size="sm">
          {name} {id}
        </Text>
        <Status value={status} />
        {flags.map((flag) => (
          <Badge key={flag} color="orange.9" variant="outline" tt="none">
            {flag}
          </Badge>
        ))}
      </Group>
      {paper === undefined ? (
        form
      ) : (
        <Grid type="container" breakpoints={breakpoints} gap="sm">
          <Grid.Col span={{ base: 12, md: 7 }}>{paper}</Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>{form}</Grid.Col>
        </Grid>
      )}
    </Page>
  );
}

/** A related record by its kind, with its status. */
export function relatedRecord(kind: keyof CommonWords['kinds'], id: number, status: string, words: CommonWords): Fact {
  return [`${words.kinds[kind]} ${id}`, <RecordLink key={id} kind={kind} id={id} name={wordOf(status, words.statuses)} />];
}

function History({ decisions }: { decisions: readonly PastDecision[] }) {
  const { words, moment } = useLanguage();
  const texts = useTexts(recordTexts);
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
            {note !== null && (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {note}
              </Text>
            )}
          </div>
        ))}
      </Stack>
    </Section>
  );
}

function ProcessSection({ process }: { process: Process }) {
  const { words, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  return (
    <Section title={texts.process}>
      <Facts
        facts={[
          [
            texts.workflow,
            <TextLink key="workflow" to="/processes" search={{ q: process.workflow_id }}>
              {process.workflow_id}
            </TextLink>,
          ],
          [texts.processStatus, wordOf(process.status, texts.processStatuses)],
          [texts.waitingFor, process.waiting_for && wordOf(process.waiting_for, words.parties)],
          [texts.nextTimer, process.next_timer_at && moment(process.next_timer_at)],
        ]}
      />
      {process.url !== null && (
        <Anchor size="sm" href={process.url} target="_blank" rel="noreferrer">
          {texts.inTemporal}
        </Anchor>
      )}
    </Section>
  );
}

function TimelineSection({ path, id }: { path: TimelinePath; id: number }) {
  const { words, moment } = useLanguage();
  const texts = useTexts(recordTexts);
  const [isOpen, setIsOpen] = useState(false);
  const { data, error, isPending } = useQuery({ ...read(path, { params: { path: { id } } }), enabled: isOpen, throwOnError: false });
  return (
    <Section
      title={texts.timeline}
      actions={
        <Button variant="subtle" aria-expanded={isOpen} loading={isOpen && isPending} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? texts.hide : texts.show}
        </Button>
      }
    >
      {isOpen && error !== null && <Problem error={error} />}
      {isOpen && data?.data.length === 0 && <Empty>{texts.noSteps}</Empty>}
      {isOpen && (
        <Timeline bulletSize={12} lineWidth={2}>
          {data?.data.map(({ at, text, actor, waiting_for: party, step }, index) => (
            <Timeline.Item key={`${at} ${step} ${index}`} title={text}>
              <Text size="xs">
                {[
                  moment(at),
                  wordOf(actor, words.parties),
                  ...(party === null ? [] : [texts.afterwards(wordOf(party, words.parties))]),
                ].join(' · ')}
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </Section>
  );
}
