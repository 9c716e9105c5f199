import type { Refused } from './audit/security-events.ts';
import type { Account, Key, Link, Session } from './accounts/account-records.ts';
import type { FileCopy, StoredFile } from './files/file-records.ts';
import type { Application, Document, Profile, Service } from './applications/application-records.ts';
import { IncidentRecords } from './wallet/incidents.ts';
import type { Invoice, LedgerEntry } from './wallet/wallet-records.ts';
import type { SigningSetting } from './agreements/signing.ts';
import type { Touched } from './area.ts';
import type { Reminded, Waiting } from './notifications/reminders.ts';
import { ChangeLog } from './changes/change-log.ts';
import type { Audience, ChangeReading } from './changes/change-reading.ts';
import type { AdditionalDocument, Contract, Event, Organizer, Template } from './competitions/competition-records.ts';
import type { Exchange } from './exchange.ts';
import { type Fact, factOf, Notices } from './facts.ts';
import type { DayFacts, Message, Participant, Registration, Told } from './registrations/registration-records.ts';
import type { Captcha } from './accounts/captchas.ts';
import type { LoggedRequest } from './accounts/request-log.ts';
import { SecondFactors } from './accounts/second-factor-records.ts';
import { Secrets } from './accounts/secrets.ts';
import { ReadMarks } from './notifications/read-marks.ts';
import { Reminders } from './notifications/reminder-days.ts';
import { ShownVersions } from './competitions/shown-versions.ts';
import type { Paper } from './verification/papers.ts';
import type { ChatMessage } from './messages/chats.ts';
import type { SentMessage } from './messages/streamed.ts';
import type { ContactMessage } from './messages/contact.ts';
import { BotRecords } from './messaging-bot/bot-records.ts';
import { MailRecords } from './mails/mail-records.ts';
import { Timeline } from './timeline.ts';
import { ProcessRecords } from './administration/process-records.ts';
import type { Listed } from './verification/listed.ts';
import type { Deliveries } from './webhooks/deliveries.ts';
import type { Receiver } from '../receivers.ts';
import type { Webhook } from './webhooks/webhook-records.ts';

/**
 * What the auditor knows, from the requests that it saw and the rules. Days are `YYYY-MM-DD` in UTC+5, money is tiyn.
 *
 * An area says what must be found elsewhere when it takes a request over (`Area.saw`) or follows the registry:
 * - `model.noted(exchange, 'document.created', 'document', 5)`: the audit has this row once, by the caller of the request
 * - `model.happened('document.expired', 'document', 5)`: the audit has this row once, by the registry or by a request that caused it
 * - `model.expectNotified(accountId, 'document.approved', 5)`: the account has this notification once more
 * `Area.records` and `Area.notifies` name what the area predicts wholly: anything else of it is then a finding too.
 */
export class Model {
  #queued = 0;
  /** The address of the registry, without a path. */
  origin = '';
  readonly accounts = new Map<number, Account>();
  /** Browser sessions by their cookies, also those that are over: a thief may hold a copy. */
  readonly sessions = new Map<string, Session>();
  readonly secondFactors = new SecondFactors();
  /** Links of mails that were read, by their tokens. */
  readonly links = new Map<string, Link>();
  readonly services = new Map<number, Service>();
  /** Base indexes by year, tiyn. */
  readonly baseIndexes = new Map<number, number>();
  /** Years whose base index a submitted application or a fee uses (CAT-4). */
  readonly usedIndexes = new Set<number>();
  readonly profiles = new Map<number, Profile>();
  readonly documents = new Map<number, Document>();
  readonly applications = new Map<number, Application>();
  readonly invoices = new Map<number, Invoice>();
  readonly changes = new ChangeLog(this);
  /** Cursors of the log of changes, with the time of the reading that gave them. */
  readonly cursors = new Map<string, Date>();
  /** Those who read on in the log, by name, and whose changes they see. */
  readonly readings = new Map<string, ChangeReading>();
  readonly audiences = new Map<string, Audience>();
  readonly webhooks = new Map<number, Webhook>();
  /** What came to the receivers of webhooks. */
  readonly deliveries = new Map<number, Deliveries>();
  /** Tests and replays of webhooks. */
  readonly interventions: { webhookId: number; operation: string; at: Date }[] = [];
  /** When the last questions were over, by the machine's clock: what a step has changed came later. */
  stepBegan = 0;
  /** The receiver of an address; the world sets it. */
  receiverAt: (url: string) => Receiver | undefined = () => undefined;
  /** Keys of programs by their secret. */
  readonly keys = new Map<string, Key>();
  /** By their profile. */
  readonly organizers = new Map<number, Organizer>();
  readonly events = new Map<number, Event>();
  readonly additionalDocuments = new Map<number, AdditionalDocument>();
  readonly contracts = new Map<number, Contract>();
  readonly templates = new Map<number, Template>();
  /** Reminders of stages and agreements: what waits, and how often accounts were reminded. */
  readonly reminders = {
    waiting: new Map<string, Waiting>(),
    counts: new Map<number, Map<string, Reminded>>(),
    unasked: new Set<number>(),
  };
  /** The setting of new agreements; null until it is set. */
  signing: SigningSetting | null = null;
  /** Images that a setting has used. */
  readonly usedMarks = new Set<string>();
  readonly registrations = new Map<number, Registration>();
  /** By event and application, `3/12`. */
  readonly participants = new Map<string, Participant>();
  /** Their organizers know them, and read the answers to their own repeats (API-6). */
  readonly removedParticipants: Participant[] = [];
  /** Messages between athlete and organizer, by registration, oldest first. */
  readonly conversations = new Map<number, Message[]>();
  /** What accounts must have been told of registrations, by account, type and record. */
  readonly told = new Map<number, Map<string, Told>>();
  /** Accounts that were told of something since they were last asked. */
  readonly untold = new Set<number>();
  /** The last submission that another account's event received, milliseconds. */
  readonly submittedAt = new Map<number, number>();
  /** Until when submissions to a moved event may be told of an hour after what its former organizer was told, milliseconds. */
  readonly formerToldUntil = new Map<number, number>();
  /** How many notifications of submissions to an event were seen. */
  readonly submissionNotices = new Map<number, number>();
  /** When the number of registrations of an event that wait has changed in this step, milliseconds. */
  readonly waitingChanges = new Map<number, number[]>();
  /** What held at the end of the days of events, by day. */
  readonly dayFacts = new Map<string, DayFacts>();
  /** The judgement of each registration when it was last asked about. */
  readonly lastJudgements = new Map<number, string>();
  /** Personal lists of national certificates, by administrator and list, `1/print`. */
  readonly nationalLists = new Map<string, number[]>();
  /** How often each application was exported. */
  readonly nationalExports = { insurance: new Map<number, number>(), print: new Map<number, number>() };
  /** Applications of each file that was made. */
  readonly nationalFiles = new Map<number, number[]>();
  /** When each of these files was made, by the registry's clock. */
  readonly nationalFilesMadeAt = new Map<number, Date>();
  /** Transactions of wallets, as the ledger showed them last. */
  readonly ledger = new Map<number, LedgerEntry>();
  /** Body and record of requests by account, operation and key, where the key never expires (WAL-4, WAL-10). */
  readonly usedKeys = new Map<string, { body: unknown; id: number }>();
  readonly incidents = new IncidentRecords();
  /** Files by id, with their owner. */
  readonly files = new Map<string, StoredFile>();
  /** Copies that no record has shown yet, by the use of the file. */
  readonly copies = new Map<string, FileCopy>();
  /** Copies and the files they were made of, and those that were not read yet. */
  readonly sharedFiles = new Set<string>();
  readonly freshCopies: string[] = [];
  /** Files that the registry made, by id: exports, which hold data of many people. */
  readonly madeFiles = new Set<string>();
  /** Versions of records, by kind and id, as an administrator read them last. */
  readonly versions = new Map<string, string>();
  /** When accounts last lost a right to read, by the registry's clock (API-6). */
  readonly rightsNarrowedAt = new Map<number, Date>();
  /** Accounts that are or were administrators. */
  readonly onceAdministrators = new Set<number>();
  /** What accounts have written, and what was written of them. */
  readonly secrets = new Secrets();
  /** Facts that were not found in the audit yet. */
  readonly facts: Fact[] = [];
  readonly notices = new Notices();
  readonly readMarks = new ReadMarks();
  /** Reminders of last days of documents and certificates. */
  readonly lastDays = new Reminders();
  /** Versions of applications, profiles, documents and services, as any answer showed them. */
  readonly shown = new ShownVersions();
  /** Records that something unexplained tells of: the areas look at them with the next step. */
  readonly suspects: Touched[] = [];
  /** QRs of certificates, as their holders keep them. */
  readonly papers = new Map<number, Paper>();
  /** Values of certificates in status lists. */
  readonly statuses = new Timeline<Listed>(0);
  readonly mails = new MailRecords();
  readonly bot = new BotRecords();
  readonly processes = new ProcessRecords();
  /** Address to which messages of the contact form are mailed. */
  federationEmail = '';
  readonly contactMessages = new Map<number, ContactMessage>();
  /** Refusals that may be an attack, since the security events were asked for. */
  readonly refusals: Refused[] = [];
  /** Rows of security events, each with its count when it was last read. */
  readonly securityRows = new Map<number, number>();
  readonly captchas = new Map<string, Captcha>();
  /** CSRF tokens that answers gave. */
  readonly csrfTokens = new Set<string>();
  /** Requests by keys that were not looked for in the log yet. */
  requestsOfKeys: LoggedRequest[] = [];
  /** The key or session that sent a request of the life, by its id. */
  readonly senders = new Map<string, string | null>();
  /** Messages between accounts and the federation, by account, oldest first. */
  readonly chats = new Map<number, ChatMessage[]>();
  /** All messages, oldest first. */
  readonly sentMessages: SentMessage[] = [];
  /** Codes of disciplines by id. */
  readonly disciplineCodes = new Map<number, string>();
  /** State of each certificate at the end of past days, by application and day. */
  readonly pastStates = new Map<number, Map<string, string>>();

  /** A fact of an accepted request, which the audit has once. */
  noted(exchange: Exchange, action: string, kind: string, id: number | string): void {
    this.facts.push(factOf(exchange, action, `${kind}/${id}`));
  }

  /** A fact that followed, which the audit has once: by the registry, or by a request that caused it. */
  happened(action: string, kind: string, id: number | string): void {
    this.facts.push({ action, subject: `${kind}/${id}`, by: null, requestIds: [], isCertain: true });
  }

  /** A fact of an account that followed from a message to the bot. @param actors accounts that may have caused it, or null for no account */
  happenedByBot(action: string, accountId: number, actors: readonly (number | null)[]): void {
    this.facts.push({ action, subject: `user/${accountId}`, by: null, requestIds: [], isCertain: true, byBot: actors });
  }

  /** A fact that may follow at any time. */
  mayHappen(action: string, kind: string, id: number | string): void {
    this.facts.push({ action, subject: `${kind}/${id}`, by: null, requestIds: [], isCertain: false });
  }

  /** A fact that might happen has happened. */
  hasHappened(action: string, kind: string, id: number | string): void {
    const fact = this.facts.findLast((one) => one.action === action && one.subject === `${kind}/${id}` && one.by === null);
    if (fact) fact.isCertain = true;
  }

  /** The account is told of a fact once (NOT-1). */
  expectNotified(accountId: number, type: string, subjectId: number | string): void {
    this.notices.expect(accountId, type, subjectId);
  }

  /** The next place at the end of every line. */
  nextInLine(): number {
    this.#queued += 1;
    return this.#queued;
  }

  /** All records, as if a step had touched each. */
  everything(): Touched[] {
    const records = [
      ['account', this.accounts],
      ['profile', this.profiles],
      ['document', this.documents],
      ['application', this.applications],
      ['invoice', this.invoices],
      ['event', this.events],
      ['additional_document', this.additionalDocuments],
      ['contract', this.contracts],
      ['registration', this.registrations],
      ['participant', this.participants],
      ['contact_message', this.contactMessages],
    ] as const;
    return records.flatMap(([kind, known]) =>
      known
        .keys()
        .map((id) => ({ kind, id }))
        .toArray(),
    );
  }
}

export function ownerOf(model: Model, profileId: number): number {
  const profile = model.profiles.get(profileId);
  if (!profile) throw new Error(`the auditor does not know profile ${profileId}`);
  return profile.ownerId;
}
