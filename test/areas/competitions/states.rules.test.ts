import fc from 'fast-check';
import type { Event, EventStage } from '../../../src/areas/competitions/entities.ts';
import {
  areParticipantsOpen,
  type EventAction,
  eventActions,
  type EventStatus,
  eventStatuses,
  eventTransition,
  isInTurn,
  isLiving,
  isStageOpen,
  nextEventStatus,
  nextStageStatus,
  requireEventAction,
  type StageAction,
  stageActions,
  stageAfter,
  type StageName,
  stageNames,
  type StageStatus,
  stageStatuses,
  stageTransition,
} from '../../../src/areas/competitions/events/states.ts';
import type { Locked } from '../../../src/platform/database/lock.ts';

/** Allowed actions on an event by status (EVT-3, EVT-9); all others are refused. */
const events: [EventStatus, EventAction, EventStatus][] = [
  ['draft', 'change', 'draft'],
  ['draft', 'begin', 'in_progress'],
  ['draft', 'withdraw', 'cancelled'],
  ['draft', 'cancel', 'cancelled'],
  ['in_progress', 'change', 'in_progress'],
  ['in_progress', 'begin', 'in_progress'],
  ['in_progress', 'fall_back', 'draft'],
  ['in_progress', 'publish', 'published'],
  ['in_progress', 'withdraw', 'cancelled'],
  ['in_progress', 'cancel', 'cancelled'],
  ['published', 'change', 'published'],
  ['published', 'begin', 'published'],
  ['published', 'fall_back', 'published'],
  ['published', 'complete', 'completed'],
  ['published', 'cancel', 'cancelled'],
  ['completed', 'cancel', 'cancelled'],
];

test.each(eventStatuses.flatMap((status) => eventActions.map((action) => [status, action] as const)))('event: %s, %s', (status, action) => {
  const [, , expected] = events.find(([from, by]) => from === status && by === action) ?? [];
  expect(nextEventStatus(status, action)).toBe(expected ?? null);
});

const stages: [StageStatus, StageAction, StageStatus][] = [
  ['locked', 'open', 'open'],
  ['locked', 'lock', 'locked'],
  ['open', 'attach', 'open'],
  ['open', 'submit', 'submitted'],
  ['open', 'settle', 'approved'],
  ['open', 'lock', 'locked'],
  ['submitted', 'approve', 'approved'],
  ['submitted', 'return', 'changes'],
  ['submitted', 'lock', 'locked'],
  ['changes', 'attach', 'changes'],
  ['changes', 'submit', 'submitted'],
  ['changes', 'lock', 'locked'],
  ['approved', 'reopen', 'open'],
];

test.each(stageStatuses.flatMap((status) => stageActions.map((action) => [status, action] as const)))('stage: %s, %s', (status, action) => {
  const [, , expected] = stages.find(([from, by]) => from === status && by === action) ?? [];
  expect(nextStageStatus(status, action)).toBe(expected ?? null);
});

test('a refusal names the status and its allowed actions, and changes nothing', () => {
  // Stands for rows that a command has locked.
  const event = { status: 'completed' } as Locked<Event>;
  const stage = { status: 'approved' } as Locked<EventStage>;
  const refused = (details: object) => expect.objectContaining({ code: 'invalid_state', details });
  expect(() => eventTransition(event, 'withdraw')).toThrow(refused({ status: 'completed', allowed: ['cancel'] }));
  expect(() => requireEventAction(event, 'change')).toThrow(refused({ status: 'completed', allowed: ['cancel'] }));
  expect(() => stageTransition(stage, 'submit', new Date())).toThrow(refused({ status: 'approved', allowed: ['reopen'] }));
  expect([event.status, stage.status]).toEqual(['completed', 'approved']);
});

/** A model of an event, driven by the transition tables only. */
interface Played {
  event: { status: EventStatus; endsAt: Date };
  stages: Record<StageName, { status: StageStatus }>;
}
const endsAt = new Date('2026-06-15T18:00:00+05:00');
const fresh = (): Played => ({
  event: { status: 'draft', endsAt },
  stages: {
    agreement: { status: 'open' },
    details: { status: 'locked' },
    regulations: { status: 'locked' },
    results: { status: 'locked' },
  },
});
const whatApprovalDoes: Record<StageName, EventAction | null> = {
  agreement: 'begin',
  details: 'publish',
  regulations: null,
  results: 'complete',
};

/** Applies a command to the model: submit, decide, settle or reopen the agreement, cancel. */
function play(
  played: Played,
  step: { what: 'submit' | 'approve' | 'return' | 'settle' | 'reopen' | 'cancel'; stage: StageName },
  now: Date,
) {
  const { event } = played;
  const { what, stage } = step;
  const of = played.stages[stage];
  const move = (action: StageAction) => {
    of.status = nextStageStatus(of.status, action) ?? of.status;
  };
  const advance = (name: StageName) => {
    const action = whatApprovalDoes[name];
    if (action !== null) event.status = nextEventStatus(event.status, action) ?? event.status;
    const next = stageAfter(name);
    if (next !== null && played.stages[next].status === 'locked') played.stages[next].status = 'open';
  };
  if (!isLiving(event.status)) return;
  if (what === 'submit' && isStageOpen(played, stage, now)) move('submit');
  if (what === 'approve' && of.status === 'submitted' && isInTurn(played, stage)) {
    move('approve');
    advance(stage);
  }
  if (what === 'return' && of.status === 'submitted') move('return');
  const { agreement } = played.stages;
  if (what === 'settle' && agreement.status === 'open') {
    agreement.status = 'approved';
    advance('agreement');
  }
  if (what === 'reopen' && agreement.status === 'approved') {
    agreement.status = 'open';
    event.status = nextEventStatus(event.status, 'fall_back') ?? event.status;
  }
  if (what === 'cancel') event.status = nextEventStatus(event.status, 'cancel') ?? event.status;
}

// EVT-2, EVT-7, EVT-9
test('any order of commands: published needs approved details, completed needs the end, a finished event can only be cancelled', () => {
  const step = fc.record({
    what: fc.constantFrom('submit', 'submit', 'approve', 'approve', 'return', 'settle', 'settle', 'reopen', 'cancel'),
    stage: fc.constantFrom(...stageNames),
    isOver: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (done) => {
      const played = fresh();
      for (const { isOver, ...one } of done) {
        const before = structuredClone(played);
        const now = isOver ? endsAt : new Date(endsAt.getTime() - 1);
        play(played, one, now);
        const { event, stages: after } = played;
        const isPublic = event.status === 'published' || event.status === 'completed';
        expect(isPublic).toBe(after.details.status === 'approved' && event.status !== 'cancelled');
        if (event.status === 'completed') expect(stageNames.every((name) => after[name].status === 'approved')).toBe(true);
        if (event.status === 'in_progress') expect(after.agreement.status).toBe('approved');
        if (!isLiving(before.event.status)) expect([before.event.status, 'cancelled']).toContain(event.status);
        if (before.event.status === 'cancelled') expect(event.status).toBe('cancelled');
        // Stages keep their order, and results wait for the end.
        for (const name of stageNames)
          if (after[name].status === 'submitted' && before.stages[name].status !== 'submitted') {
            expect(isInTurn(before, name)).toBe(true);
            if (name === 'results') expect(now.getTime()).toBeGreaterThanOrEqual(endsAt.getTime());
          }
        const isWithAdministrator = after.results.status === 'submitted' || after.results.status === 'approved';
        expect(areParticipantsOpen(played)).toBe(event.status === 'published' && !isWithAdministrator);
      }
    }),
    { numRuns: 2000 },
  );
});
