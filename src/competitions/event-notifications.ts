import { after, defineNotifications, noteOf, reasonOf, words } from '../notifications/index.ts';
import type { NotificationFacts } from '../notifications/index.ts';

/** What an organizer is told about an event and its stages (decisions.md §8). `title`: of the event; `deadline`: `ahead` or `passed`. */
export const eventNotifications = defineNotifications({
  'event_stage.approved': (facts, id) =>
    words(
      `Stage approved${nameOf(facts)}`,
      `The federation approved the ${stageOf(facts)} of ${eventOf(facts, id)}.`,
      consequenceOf(facts),
    ),
  'event_stage.changes': (facts, id) =>
    words(
      `Stage returned${nameOf(facts)}`,
      `The ${stageOf(facts)} of ${eventOf(facts, id)} need a correction; submit them again.`,
      noteOf(facts),
    ),
  'event_stage.cancelled': (facts, id) =>
    words('Competition cancelled', `${eventOf(facts, id, 'Your')} has been cancelled.`, reasonOf(facts), noteOf(facts)),
  'event_stage.reopened': (facts, id) =>
    words(
      'Agreement no longer in force',
      `The agreement of ${eventOf(facts, id)} is no longer in force; nothing more can be submitted until another one is confirmed.`,
    ),
  'event_stage.reminder': (facts, id) =>
    words(
      `${isLate(facts) ? 'Deadline passed' : 'Deadline ahead'}${nameOf(facts)}`,
      `The ${stageOf(facts)} of ${eventOf(facts, id)} ${isLate(facts) ? 'were' : 'are'} expected${after(' by ', facts['due_on'])} and not submitted yet.`,
    ),
  'event_stage.intake_opened': (facts, id) =>
    words('Registration opened', `${eventOf(facts, id, 'Your')} takes registrations now${after(', until ', facts['until'])}.`),
  'event_stage.intake_closed': (facts, id) => words('Registration closed', `${eventOf(facts, id, 'Your')} takes no more registrations.`),
});

const stageWords: Readonly<Record<string, string>> = {
  agreement: 'agreement papers',
  details: 'details',
  regulations: 'regulations',
  results: 'results',
};

const consequences: Readonly<Record<string, string>> = {
  agreement: 'Submit its details next.',
  details: 'It is published in the calendar; submit its regulations next.',
  regulations: 'They are published with it; submit its results once it has ended.',
  results: 'They are published, and the competition is completed.',
};

function isLate(facts: NotificationFacts): boolean {
  return facts['deadline'] === 'passed';
}

function stageOf(facts: NotificationFacts): string {
  return stageWords[String(facts['stage'])] ?? 'stage';
}

function nameOf(facts: NotificationFacts): string {
  return after(': ', facts['stage']);
}

function consequenceOf(facts: NotificationFacts): string {
  return consequences[String(facts['stage'])] ?? '';
}

function eventOf(facts: NotificationFacts, id: string, whose: 'your' | 'Your' = 'your'): string {
  return `${whose} competition ${id}${after(' “', facts['title'], '”')}`;
}
