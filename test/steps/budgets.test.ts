import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { countStatements, type Figures, listStatements, tableOf } from '../support/count-statements.ts';
import { fixturesIn } from '../support/factories.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { plainCases } from './plain-cases.ts';
import { stepCases } from './step-cases.ts';

/**
 * The exact number of statements of each command, the same on every machine. A change that adds or saves a statement changes the figure
 * here and explains it.
 */

/**
 * By process and command, as `executeOnce` runs it: with the row of processed commands and the wake-ups. Each step of an application writes
 * two rows, to the audit and to its history. Pay and approve are two steps, like cancel and refund. A change of a document or profile reads
 * its registrations once. A command of an administrator checks at the end that they still are one.
 */
const budgets: Figures = {
  'application: submit': { statements: 8, 'round trips': 9 },
  'application: submit again': { statements: 2, 'round trips': 3 },
  // The first approval of a registry opens the first status list, with five statements.
  'application: pay and approve': { statements: 23, 'round trips': 24 },
  'application: review, approve': { statements: 13, 'round trips': 14 },
  'application: review, changes': { statements: 10, 'round trips': 11 },
  'application: cancel, with a refund': { statements: 20, 'round trips': 21 },
  'application: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  // With the wallets, because due work may move money.
  'application: reconsider, a reminder': { statements: 10, 'round trips': 11 },
  'document: review, approve, one application on it': { statements: 11, 'round trips': 12 },
  'document: review, changes': { statements: 11, 'round trips': 12 },
  'document: correct, the day of one behind a certificate': { statements: 11, 'round trips': 12 },
  'document: reconsider, a reminder': { statements: 6, 'round trips': 7 },
  'document: reconsider, nothing due': { statements: 1, 'round trips': 1 },
  // The fee with its step, process and price; the details reference no file.
  'event: submit, details': { statements: 15, 'round trips': 16 },
  'event: submit, regulations': { statements: 8, 'round trips': 9 },
  'event: review, approve': { statements: 10, 'round trips': 11 },
  'event: review, changes': { statements: 11, 'round trips': 12 },
  // One statement makes its registrations due, one looks for its agreement.
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
  // Locks its event; one statement for each kind locks the reviewed records: applications, documents, profile.
  'registration: decide, approve': { statements: 13, 'round trips': 14 },
  'registration: decide, return': { statements: 11, 'round trips': 12 },
  'registration: withdraw': { statements: 8, 'round trips': 9 },
  'registration: reconsider, nothing due': { statements: 2, 'round trips': 2 },
  'registration: reconsider, lapsed': { statements: 12, 'round trips': 13 },
  // The same number for thousands of records: each area locks, moves and wakes its rows by set, and lists their files.
  // The moved records are locked twice: before the profile, and again for rows added until its lock.
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
  // Its profile is locked too.
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
  // The conversation, its message, the audit, the stream and the counters. The database assigns the stream's numbers at the COMMIT.
  'plain: sendMessage': { statements: 5, 'round trips': 6 },
  // The row of the chat, and its lock again.
  'plain: sendChatMessage, the first': { statements: 8, 'round trips': 9 },
  // One more statement reads the recipients.
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
  // The owner of the chat, a lock of the chat, the owner of the link, and the end of the chat's old link.
  'plain: receiveUpdate, a link': { statements: 7, 'round trips': 8 },
  "plain: receiveUpdate, a link in another account's chat": { statements: 9, 'round trips': 10 },
  'plain: receiveUpdate, a command': { statements: 2, 'round trips': 3 },
  'plain: receiveUpdate, one seen before': { statements: 1, 'round trips': 2 },
  'plain: receiveUpdate, blocked': { statements: 5, 'round trips': 6 },
};

test('each command costs the listed number of statements and round trips', async () => {
  const { platform: started, surroundings, close } = await startTestPlatform();
  try {
    const now = async () => new Date('2026-06-15T12:00:00+05:00');
    // In the middle of a year. The clock costs no statement, like in production. No worker runs the processes here.
    const platform = { ...started, outbox: relayOnlyOutbox, clock: { sandbox: false, now } };
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
