import { isDeepStrictEqual } from 'node:util';
import { listActions } from '../../src/areas/audit/index.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { countStatements, type Figures, listStatements, tableOf } from '../support/count-statements.ts';
import { fixturesIn } from '../support/factories.ts';
import { placeOf } from '../support/place-of.ts';
import { staleDueDatesIn } from '../support/stale-due-dates.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { plainCases } from './plain-cases.ts';
import { stepCases } from './step-cases.ts';

/**
 * The exact number of statements of each command, the same on every machine. A change that adds or saves a statement changes the figure
 * here and explains it.
 */

/**
 * By process and command, as `executeOnce` runs it: with the row of processed commands and the wake-ups. Each step of an application writes
 * two rows, to the audit and to its history. One more statement of each transaction with facts writes its changes. Pay and approve are two
 * steps, like cancel and refund. A change of a document or profile reads its registrations once. A command of an administrator checks at the
 * end that they still are one.
 */
const budgets: Figures = {
  'application: submit': { statements: 10, 'round trips': 11 },
  'application: submit again': { statements: 3, 'round trips': 4 },
  // The first approval of a registry opens the first status list, with five statements.
  'application: pay and approve': { statements: 25, 'round trips': 26 },
  'application: review, approve': { statements: 14, 'round trips': 15 },
  'application: review, changes': { statements: 11, 'round trips': 12 },
  'application: cancel, with a refund': { statements: 22, 'round trips': 23 },
  'application: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  // With the wallets, because due work may move money.
  // Three of them read whether an application for the next year is possible already.
  'application: reconsider, a reminder': { statements: 14, 'round trips': 15 },
  // The file is locked, so that an approved file is not deleted.
  'document: review, approve, one application on it': { statements: 13, 'round trips': 14 },
  // Two look for what uses it for its notification.
  'document: review, changes': { statements: 14, 'round trips': 15 },
  'document: correct, the day of one behind a certificate': { statements: 13, 'round trips': 14 },
  'document: reconsider, a reminder': { statements: 7, 'round trips': 8 },
  'document: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  // The fee with its step, process and price; the details reference no file.
  'event: submit, details': { statements: 17, 'round trips': 18 },
  'event: submit, regulations': { statements: 10, 'round trips': 11 },
  'event: review, approve': { statements: 11, 'round trips': 12 },
  'event: review, changes': { statements: 12, 'round trips': 13 },
  // One statement makes its registrations due, one looks for its agreement.
  'event: cancel, with its fee': { statements: 21, 'round trips': 22 },
  'event: reconsider, the intake opens': { statements: 9, 'round trips': 10 },
  'event: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  'profile: submit': { statements: 8, 'round trips': 9 },
  'profile: review of the data': { statements: 10, 'round trips': 11 },
  'profile: review of the photo': { statements: 11, 'round trips': 12 },
  'profile: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  'invoice: checkout': { statements: 6, 'round trips': 7 },
  'invoice: verify, paid': { statements: 20, 'round trips': 23 },
  'invoice: verify, not paid yet': { statements: 12, 'round trips': 15 },
  'invoice: record the response, paid': { statements: 15, 'round trips': 17 },
  'invoice: reconsider, nothing due': { statements: 2, 'round trips': 2 },
  // Locks its event; one statement for each kind locks the reviewed records: applications, documents, profile.
  'registration: decide, approve': { statements: 14, 'round trips': 15 },
  'registration: decide, return': { statements: 12, 'round trips': 13 },
  'registration: withdraw': { statements: 10, 'round trips': 11 },
  // Locks the class, counts its places, and offers the free one to the first in the line.
  'registration: withdraw, another waits': { statements: 18, 'round trips': 19 },
  'registration: accept': { statements: 16, 'round trips': 17 },
  'registration: reconsider, nothing due': { statements: 2, 'round trips': 2 },
  'registration: reconsider, lapsed': { statements: 13, 'round trips': 14 },
  // The same number for thousands of records: each area locks, moves and wakes its rows by set, and lists their files.
  // The moved records are locked twice: before the profile, and again for rows added until its lock.
  'ownership-transfer: transfer': { statements: 49, 'round trips': 50 },
  // Each locks the event and notes in it how the agreement stands. The file is looked for, then held; the event's process looks again.
  'agreement: scan': { statements: 13, 'round trips': 14 },
  'agreement: review, reject': { statements: 12, 'round trips': 13 },
  // Opens the next stage of its event and tells of both.
  'agreement: review, confirm': { statements: 21, 'round trips': 22 },
  // Ends one agreement and makes another.
  'agreement: replace': { statements: 22, 'round trips': 23 },
  'agreement: cancel': { statements: 12, 'round trips': 13 },
  'agreement: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  // Locks, reads what its rows name, and saves as a batch does; the same number for any number of rows.
  'import: reconsider, a row': { statements: 32, 'round trips': 33 },
  'import: reconsider, a hundred rows': { statements: 32, 'round trips': 33 },
  'import: reconsider, its outcome expires': { statements: 4, 'round trips': 5 },
  'national-export: reconsider, its file expires': { statements: 8, 'round trips': 9 },
  // Three of them tell the organizer, at most once an hour.
  'plain: saveRegistrations, one': { statements: 18, 'round trips': 19 },
  'plain: saveRegistrations, a hundred': { statements: 18, 'round trips': 19 },
  // Its profile is locked too.
  'plain: createApplication': { statements: 14, 'round trips': 15 },
  'plain: updateApplication, data': { statements: 11, 'round trips': 12 },
  'plain: updateApplication, documents': { statements: 12, 'round trips': 13 },
  'plain: createEvent': { statements: 9, 'round trips': 10 },
  'plain: updateEvent': { statements: 8, 'round trips': 9 },
  'plain: updateEvent, a file': { statements: 9, 'round trips': 10 },
  'plain: setRegistrationSettings': { statements: 9, 'round trips': 10 },
  'plain: settleAgreement': { statements: 9, 'round trips': 10 },
  // One counts the documents of the profile, whose row is locked.
  'plain: createDocument': { statements: 8, 'round trips': 9 },
  'plain: updateDocument': { statements: 11, 'round trips': 12 },
  'plain: correctProfile, with an IIN': { statements: 13, 'round trips': 14 },
  'plain: updateService': { statements: 9, 'round trips': 10 },
  'plain: setBaseIndex': { statements: 4, 'round trips': 5 },
  'plain: createInvoice': { statements: 10, 'round trips': 11 },
  'plain: createContract': { statements: 14, 'round trips': 15 },
  'plain: changeList, add one': { statements: 8, 'round trips': 9 },
  'plain: changeList, add a hundred': { statements: 8, 'round trips': 9 },
  'plain: changeList, add what is there': { statements: 4, 'round trips': 5 },
  'plain: changeList, auto': { statements: 8, 'round trips': 9 },
  'plain: changeList, clear': { statements: 6, 'round trips': 7 },
  'plain: removeReviewed': { statements: 6, 'round trips': 7 },
  // The conversation, its message, the audit, the stream and the counters. The database assigns the stream's numbers at the COMMIT.
  'plain: sendMessage': { statements: 7, 'round trips': 8 },
  // The row of the chat, and its lock again.
  'plain: sendChatMessage, the first': { statements: 10, 'round trips': 11 },
  // One more statement reads the recipients.
  'plain: sendChatMessage': { statements: 8, 'round trips': 9 },
  // With the account and one notification.
  'plain: answerChat': { statements: 9, 'round trips': 10 },
  'plain: markChatReadByFederation': { statements: 5, 'round trips': 6 },
  // An account without a wallet, as before registration.
  'plain: correctLedger, with an incident': { statements: 16, 'round trips': 17 },
  'plain: reverseMovement': { statements: 14, 'round trips': 15 },
  'plain: changeUser, block': { statements: 8, 'round trips': 9 },
  'plain: resolveIncident': { statements: 5, 'round trips': 6 },
  'plain: answerContactMessage': { statements: 5, 'round trips': 6 },
  'plain: updateAccount': { statements: 5, 'round trips': 6 },
  'plain: setPreferences, two': { statements: 4, 'round trips': 5 },
  'plain: markRead': { statements: 2, 'round trips': 3 },
  'plain: markAllRead, ten': { statements: 3, 'round trips': 4 },
  'plain: issueLink': { statements: 5, 'round trips': 6 },
  'plain: endLinks, on the site': { statements: 4, 'round trips': 5 },
  // The owner of the chat, a lock of the chat, the owner of the link, and the end of the chat's old link.
  'plain: receiveUpdate, a link': { statements: 8, 'round trips': 9 },
  "plain: receiveUpdate, a link in another account's chat": { statements: 10, 'round trips': 11 },
  'plain: receiveUpdate, a command': { statements: 2, 'round trips': 3 },
  'plain: receiveUpdate, one seen before': { statements: 1, 'round trips': 2 },
  'plain: receiveUpdate, blocked': { statements: 6, 'round trips': 7 },
};

/** The limit of a case that is not in the table, such as a new one. */
const usualStatements = 15;

test('each command costs the listed statements and round trips, and leaves no record without its next date', async () => {
  const { platform: started, surroundings, close } = await startTestPlatform();
  try {
    const now = async () => new Date('2026-06-15T12:00:00+05:00');
    // In the middle of a year. The clock costs no statement, like in production. No worker runs the processes here.
    const platform = { ...started, outbox: relayOnlyOutbox, clock: { sandbox: false, now } };
    const stage = { platform, administrator: await fixturesIn(platform).administrator(), bankUrl: surroundings.bank.url };
    const cases = { ...stepCases(stage), ...plainCases(stage) };
    const measured: Figures = {};
    const allowed: Figures = {};
    let details = '';
    const forgotten: string[] = [];
    const db = databaseOf(started.orm.em.fork());
    for (const [name, prepare] of Object.entries(cases)) {
      const command = await prepare();
      const before = await staleDueDatesIn(db, await now());
      await db.deleteFrom('outbox').execute();
      const { statements, roundTrips } = await countStatements(command);
      const woken = new Set<string>((await db.selectFrom('outbox').select('process').execute()).map(({ process }) => process));
      for (const [ref, line] of await staleDueDatesIn(db, await now()))
        if (before.get(ref) !== line && !woken.has(ref)) forgotten.push(`${name}: ${line}; store it, or wake the process`);
      const cost = { statements: statements.length, 'round trips': roundTrips };
      const isUsual = statements.length <= usualStatements && roundTrips <= statements.length + 1;
      const budget = budgets[name] ?? (isUsual ? cost : { statements: usualStatements, 'round trips': usualStatements + 1 });
      measured[name] = cost;
      allowed[name] = budget;
      if (!isDeepStrictEqual(cost, budget)) details += `\n\n${listStatements(name, statements)}`;
    }
    // The sweeper would not find these records.
    expect(forgotten).toEqual([]);
    if (details !== '') details += `\n\nFewer statements, or the figures in ${placeOf('test/steps/budgets.test.ts', 'const budgets')}`;
    expect(tableOf(measured) + details).toBe(tableOf(allowed));
    // CHG-1: no command forgot the log of changes.
    const factsIn = async (table: 'audit_events' | 'changes') => {
      const facts = db.selectFrom(table).select(['action', 'subjectKind', 'subjectId']).where('action', 'in', listActions());
      return (await facts.execute()).map(({ action, subjectKind, subjectId }) => `${action} ${subjectKind}/${subjectId}`).toSorted();
    };
    expect(await factsIn('changes')).toEqual(await factsIn('audit_events'));
  } finally {
    await close();
  }
});
