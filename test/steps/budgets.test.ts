import { undelivered } from '../../src/platform/workflows/outbox.ts';
import { countStatements, type Figures, listStatements, tableOf } from '../support/count-statements.ts';
import { fixturesIn } from '../support/factories.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { plainCases } from './plain-cases.ts';
import { stepCases } from './step-cases.ts';

/**
 * What each command costs the database, to the statement: the figures are the same on every machine. A change that adds a statement, or
 * saves one, changes the figure here and says why.
 */

/**
 * By the name of the process and the command, as `executeOnce` carries it out: with the note that it was processed, and the wake-ups. Each
 * step of an application writes two rows, of the audit and of its history: pay and approve are two steps, cancel and refund too. What
 * changes a document or a profile asks once which registrations stand on it. What an administrator does asks at the end whether they still
 * are one.
 */
const budgets: Figures = {
  'application: submit': { statements: 8, 'round trips': 9 },
  'application: submit again': { statements: 2, 'round trips': 3 },
  'application: pay and approve': { statements: 18, 'round trips': 19 },
  'application: review, approve': { statements: 12, 'round trips': 13 },
  'application: review, changes': { statements: 10, 'round trips': 11 },
  'application: cancel, with a refund': { statements: 20, 'round trips': 21 },
  'application: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  // With the wallets, since what has become due may move money.
  'application: reconsider, a reminder': { statements: 10, 'round trips': 11 },
  'document: review, approve, one application on it': { statements: 11, 'round trips': 12 },
  'document: review, changes': { statements: 11, 'round trips': 12 },
  'document: correct, the day of one behind a certificate': { statements: 11, 'round trips': 12 },
  'document: reconsider, a reminder': { statements: 6, 'round trips': 7 },
  'document: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  // The fee with its own step, its process and its price; the details hold no file.
  'event: submit, details': { statements: 15, 'round trips': 16 },
  'event: submit, regulations': { statements: 8, 'round trips': 9 },
  'event: review, approve': { statements: 10, 'round trips': 11 },
  'event: review, changes': { statements: 11, 'round trips': 12 },
  // Its registrations become due by one statement, its agreement is looked for.
  'event: cancel, with its fee': { statements: 20, 'round trips': 21 },
  'event: reconsider, the intake opens': { statements: 8, 'round trips': 9 },
  'event: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  'profile: submit': { statements: 6, 'round trips': 7 },
  'profile: review of the data': { statements: 9, 'round trips': 10 },
  'profile: review of the photo': { statements: 9, 'round trips': 10 },
  'profile: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  'invoice: checkout': { statements: 4, 'round trips': 5 },
  'invoice: verify, paid': { statements: 17, 'round trips': 20 },
  'invoice: verify, not paid yet': { statements: 10, 'round trips': 13 },
  'invoice: record the response, paid': { statements: 17, 'round trips': 20 },
  'invoice: reconsider, nothing due': { statements: 2, 'round trips': 2 },
  // Its event is held; what is judged is held by one statement for each kind: applications, documents, profile.
  'registration: decide, approve': { statements: 13, 'round trips': 14 },
  'registration: decide, return': { statements: 11, 'round trips': 12 },
  'registration: withdraw': { statements: 8, 'round trips': 9 },
  'registration: reconsider, nothing due': { statements: 2, 'round trips': 2 },
  'registration: reconsider, lapsed': { statements: 12, 'round trips': 13 },
  // As many for thousands of records: each area locks its rows, moves and wakes them set by set, and says which files they name.
  // What goes along is locked twice: before the profile, and what was made until that was held.
  'ownership-transfer: transfer': { statements: 42, 'round trips': 43 },
  // Each locks the event and notes in it how the agreement stands. The file is looked for, then held; the event's process looks again.
  'agreement: scan': { statements: 11, 'round trips': 12 },
  'agreement: review, reject': { statements: 11, 'round trips': 12 },
  // Opens the next stage of its event and tells of both.
  'agreement: review, confirm': { statements: 19, 'round trips': 20 },
  // Ends one agreement and makes another.
  'agreement: replace': { statements: 20, 'round trips': 21 },
  'agreement: cancel': { statements: 10, 'round trips': 11 },
  'agreement: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  'national-export: reconsider, its file expires': { statements: 7, 'round trips': 8 },
  'plain: saveRegistrations, one': { statements: 13, 'round trips': 14 },
  'plain: saveRegistrations, a hundred': { statements: 13, 'round trips': 14 },
  // Its profile is held besides.
  'plain: createApplication': { statements: 11, 'round trips': 12 },
  'plain: updateApplication, data': { statements: 10, 'round trips': 11 },
  'plain: updateApplication, documents': { statements: 11, 'round trips': 12 },
  'plain: createEvent': { statements: 7, 'round trips': 8 },
  'plain: updateEvent': { statements: 6, 'round trips': 7 },
  'plain: updateEvent, a file': { statements: 7, 'round trips': 8 },
  'plain: setRegistrationSettings': { statements: 6, 'round trips': 7 },
  'plain: settleAgreement': { statements: 8, 'round trips': 9 },
  'plain: createDocument': { statements: 5, 'round trips': 6 },
  'plain: updateDocument': { statements: 9, 'round trips': 10 },
  'plain: correctProfile, with an IIN': { statements: 11, 'round trips': 12 },
  'plain: updateService': { statements: 8, 'round trips': 9 },
  'plain: setBaseIndex': { statements: 3, 'round trips': 4 },
  'plain: createInvoice': { statements: 8, 'round trips': 9 },
  'plain: createContract': { statements: 12, 'round trips': 13 },
  'plain: changeList, add one': { statements: 7, 'round trips': 8 },
  'plain: changeList, add a hundred': { statements: 7, 'round trips': 8 },
  'plain: changeList, add what is there': { statements: 4, 'round trips': 5 },
  'plain: changeList, auto': { statements: 7, 'round trips': 8 },
  'plain: changeList, clear': { statements: 5, 'round trips': 6 },
  'plain: removeReviewed': { statements: 5, 'round trips': 6 },
  // The conversation, its message, the audit, the stream and the counters; the stream's numbers are given by the database at the commit.
  'plain: sendMessage': { statements: 5, 'round trips': 6 },
  // The row of the chat, and its lock once more.
  'plain: sendChatMessage, the first': { statements: 8, 'round trips': 9 },
  // Who is told is asked besides.
  'plain: sendChatMessage': { statements: 6, 'round trips': 7 },
  // With the account and one notification.
  'plain: answerChat': { statements: 8, 'round trips': 9 },
  'plain: markChatReadByFederation': { statements: 5, 'round trips': 6 },
  // An account without a wallet, as before registration.
  'plain: correctLedger, with an incident': { statements: 15, 'round trips': 16 },
  'plain: reverseMovement': { statements: 13, 'round trips': 14 },
  'plain: changeUser, block': { statements: 7, 'round trips': 8 },
  'plain: resolveIncident': { statements: 4, 'round trips': 5 },
  'plain: answerContactMessage': { statements: 4, 'round trips': 5 },
  'plain: updateAccount': { statements: 3, 'round trips': 4 },
  'plain: setPreferences, two': { statements: 2, 'round trips': 3 },
  'plain: markRead': { statements: 1, 'round trips': 2 },
  'plain: markAllRead, ten': { statements: 2, 'round trips': 3 },
  'plain: issueLink': { statements: 3, 'round trips': 4 },
  'plain: endLinks, on the site': { statements: 2, 'round trips': 3 },
  // Whose chat it is, a lock of the chat, whose link it is, and the end of whatever the chat was linked with.
  'plain: receiveUpdate, a link': { statements: 7, 'round trips': 8 },
  "plain: receiveUpdate, a link in another account's chat": { statements: 9, 'round trips': 10 },
  'plain: receiveUpdate, a command': { statements: 2, 'round trips': 3 },
  'plain: receiveUpdate, one seen before': { statements: 1, 'round trips': 2 },
  'plain: receiveUpdate, blocked': { statements: 5, 'round trips': 6 },
};

test('each command costs as many statements and round trips as it is said here', async () => {
  const { platform: started, surroundings, close } = await startTestPlatform();
  try {
    const now = async () => new Date('2026-06-15T12:00:00+05:00');
    // In the middle of a year; as in production, the clock costs no statement. Nothing runs the processes here.
    const platform = { ...started, outbox: undelivered, clock: { sandbox: false, now } };
    const stage = { platform, administrator: await fixturesIn(platform).administrator(), bankUrl: surroundings.bank.url };
    const cases = { ...stepCases(stage), ...plainCases(stage) };
    const measured: Figures = {};
    let details = '';
    for (const [name, prepare] of Object.entries(cases)) {
      const { statements, roundTrips } = await countStatements(await prepare());
      measured[name] = { statements: statements.length, 'round trips': roundTrips };
      const { statements: said, 'round trips': saidTrips } = budgets[name] ?? {};
      if (statements.length !== said || roundTrips !== saidTrips) details += `\n\n${listStatements(name, statements)}`;
    }
    expect(tableOf(measured) + details).toBe(tableOf(budgets));
  } finally {
    await close();
  }
});
