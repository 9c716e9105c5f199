import { baseUrl } from '../../registry/config.ts';
import { assertNever } from '../../errors.ts';
import type { Language } from '../../http/language.ts';
import { wordsOfDay, wordsOfMoney } from '../../http/response/in-words.ts';
import { query } from '../../platform/commands/command.ts';
import type { Platform } from '../../platform/platform.ts';
import { documentTypeTitles } from '../catalog/index.ts';
import { readBalance } from '../wallet/index.ts';
import { type Missing, readCertificates, readMissing, type ShownCertificates } from './read-status.ts';
import type { ChatAnswer } from './receive-update.ts';
import { type BotCommand, botCommands, botTexts } from './texts.ts';

/** Writes an answer: status only, without names, numbers of certificates or documents, or links to a person's page (BOT-4). */
export async function writeAnswer(platform: Pick<Platform, 'orm' | 'clock' | 'config'>, { language, what }: ChatAnswer): Promise<string> {
  const texts = botTexts[language];
  const site = baseUrl(platform.config);
  switch (what.kind) {
    case 'connected':
      return `${texts.connected}\n\n${helpText(language)}`;
    case 'link_refused':
      return texts.linkRefused;
    case 'unlinked':
      return texts.unlinked(site);
    case 'stopped':
      return texts.stopped;
    case 'command':
      return writeStatus(platform, language, what);
    default:
      return assertNever(what);
  }
}

async function writeStatus(
  platform: Pick<Platform, 'orm' | 'clock' | 'config'>,
  language: Language,
  { command, userId }: { command: BotCommand; userId: number },
): Promise<string> {
  const site = baseUrl(platform.config);
  switch (command) {
    case 'missing':
      return `${missingText(language, await query(platform, (db, now) => readMissing(db, userId, now)))}\n\n${site}`;
    case 'balance':
      return botTexts[language].balance(wordsOfMoney(await query(platform, (db) => readBalance(db, userId)), language));
    case 'certificates':
      return `${certificatesText(language, await query(platform, (db, now) => readCertificates(db, userId, now)))}\n\n${site}`;
    case 'stop':
    case 'help':
      return helpText(language);
    default:
      return assertNever(command);
  }
}

export function helpText(language: Language): string {
  const { commands, help } = botTexts[language];
  return lines(
    help,
    botCommands.map((command) => `/${command} — ${commands[command]}`),
  );
}

export function missingText(language: Language, { profiles, documents, applications, isMore }: Missing): string {
  const texts = botTexts[language];
  const duties = [
    ...profiles.map((duty) => texts.profile(duty)),
    ...documents.map(({ type }) => texts.document(documentTypeTitles[language][type])),
    ...applications.map(({ id, title, rules }) => texts.application(id, title[language], wordsOfRules(rules, language))),
  ];
  if (duties.length === 0) return isMore ? texts.tooMany : texts.nothingMissing;
  const shown = fitting(duties);
  return lines(texts.missing, [...shown.map((duty) => `• ${duty}`), ...(isMore || shown.length < duties.length ? [texts.more] : [])]);
}

/** @param rules codes of conditions; the catalog may name document types without a text here */
function wordsOfRules(rules: readonly string[], language: Language): string {
  const { rules: words } = botTexts[language];
  const known: Readonly<Record<string, string>> = { ...documentTypeTitles[language], ...words };
  return [...new Set(rules.map((rule) => known[rule] ?? words.other))].join(', ');
}

export function certificatesText(language: Language, { certificates, isMore }: ShownCertificates): string {
  const texts = botTexts[language];
  if (certificates.length === 0) return texts.noCertificates;
  const shown = certificates.map(
    ({ title, validUntil, state }) => `• ${texts.certificate(title[language], wordsOfDay(validUntil, language), texts.states[state])}`,
  );
  return lines(texts.certificates, [...shown, ...(isMore ? [texts.more] : [])]);
}

/** Returns as many of the first lines as fit one message; the platform accepts 4096 characters. */
function fitting(all: readonly string[]): readonly string[] {
  let length = 0;
  const end = all.findIndex((line) => (length += line.length + 3) > longestList);
  return end < 0 ? all : all.slice(0, end);
}
const longestList = 3_500;

function lines(title: string, below: readonly string[]): string {
  return [title, ...below].join('\n');
}
