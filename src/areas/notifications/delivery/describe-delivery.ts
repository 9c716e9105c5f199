import { formatDateTime } from '../../../platform/date-time.ts';
import type { ProcessState } from '../../../platform/workflows/define-process.ts';
import type { DeliveryRecord } from './queries.ts';

/** Describes an account's delivery for support staff in the Temporal UI, without addresses or texts. */
export function describeDelivery({ delivery, waiting, tries, refused }: Omit<DeliveryRecord, 'id'>, now: Date): ProcessState {
  if (delivery === null)
    return { stage: 'sent', waitingFor: 'none', details: 'Over: nothing waits to go out.', isOver: true, isDue: false, next: null };
  const { dueAt } = delivery;
  const isDue = dueAt <= now;
  const failed = [
    ...(tries.mail > 0 ? [`The mail server has failed ${times(tries.mail)}.`] : []),
    ...(tries.bot > 0 ? [`The platform of the bot has failed ${times(tries.bot)}.`] : []),
    ...(refused.mails > 0 ? [`The mail server refuses ${refused.mails} of the mails for now, tried ${times(refused.tries)}.`] : []),
  ];
  const details = [
    `Notifications that wait to go out: ${waiting.mail} by mail, ${waiting.bot} by the bot.`,
    ...failed,
    ...(isDue ? [] : [`Next try at ${formatDateTime(dueAt)}.`]),
  ];
  return {
    stage: failed.length === 0 ? 'waiting' : 'postponed',
    waitingFor: isDue ? 'none' : 'date',
    details: details.join(' '),
    isOver: false,
    isDue,
    next: { at: dueAt, why: 'tries to send again' },
  };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times in a row`;
}
