import { extensions } from '../../../src/registry/areas.ts';
import { notificationMail } from '../../../src/areas/notifications/delivery/hand-over.ts';
import { notificationKinds } from '../../../src/areas/notifications/index.ts';
import { openMailLink } from '../../../src/areas/notifications/preferences/mail-links.ts';
import { type Language, languages } from '../../../src/http/language.ts';
import type { Site } from '../../../src/platform/mail/foot.ts';
import { query } from '../../../src/platform/commands/command.ts';
import { composeMail } from '../../../src/platform/mail/mailer.ts';
import type { TestClient } from '../../support/client.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api } = await useRegistry();

const types = extensions.of(notificationKinds).flatMap((kinds) => Object.keys(kinds));

function mailTo({ userId, email }: TestClient, language: Language = 'en', site: Site = api.platform) {
  const message = { notificationId: 1, userId, type: 'document.approved', email, language };
  return notificationMail(site, message, { title: 'Document approved', text: 'Good.' });
}
/** The link of a person's mail, as path and query. */
function linkTo(person: TestClient, language: Language = 'en'): string {
  const { pathname, search } = new URL(mailTo(person, language).unsubscribe ?? '');
  return pathname + search;
}
/** A person without the session, as a mail program is. */
async function open(link: string, form?: Record<string, string> | FormData | [string, string][]) {
  const body = form === undefined || form instanceof FormData ? form : new URLSearchParams(form);
  const answer = await fetch(api.url + link, body === undefined ? {} : { method: 'POST', body });
  return { status: answer.status, policy: answer.headers.get('content-security-policy') ?? '', text: await answer.text() };
}
const oneClick = { 'List-Unsubscribe': 'One-Click' };
const mailsOff = async (person: TestClient) =>
  (
    await api.sql<{ type: string }>('select type from notification_preferences where user_id = $1 and not mail order by type', [
      person.userId,
    ])
  ).map(({ type }) => type);

test('NOT-8: the header of a mail turns its type off by one POST, again and in either encoding; opening the link does not', async () => {
  const [person, other] = [await api.user(), await api.user()];
  const mail = mailTo(person);
  expect(composeMail(mail, 'registry@example.kz')).toMatchObject({
    list: { unsubscribe: mail.unsubscribe },
    headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  });
  const link = linkTo(person);
  for (const method of ['GET', 'HEAD']) await fetch(api.url + link, { method });
  expect(await mailsOff(person)).toEqual([]);
  person.expect(
    200,
    await person.put('/notifications/preferences', { preferences: [{ type: 'document.approved', mail: true, bot: true }] }),
  );
  const multipart = new FormData();
  multipart.set('List-Unsubscribe', 'One-Click');
  for (const form of [multipart, oneClick, oneClick]) {
    const answer = await open(link, form);
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining('The mails &quot;Document approved&quot; are no longer sent.'),
    ]);
  }
  const [row] = await api.sql('select type, mail, bot from notification_preferences where user_id = $1', [person.userId]);
  expect(row).toEqual({ type: 'document.approved', mail: false, bot: true });
  const audited = await api.sql("select 1 from audit_events where action = 'notification_preferences.updated' and subject_id = $1", [
    String(person.userId),
  ]);
  // By the owner, and by the first of the three.
  expect(audited).toHaveLength(2);
  expect(await mailsOff(other)).toEqual([]);
});

test('NOT-8: a changed link, one of a blocked account and one to a former address are refused by a page, and change nothing', async () => {
  const [person, other] = [await api.user(), await api.user()];
  const link = linkTo(person);
  const refused = async (bad: string) => {
    for (const form of [undefined, oneClick, { save: 'none' }]) {
      const answer = await open(bad, form);
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('The link is not valid')]);
    }
  };
  await refused(link.replace(`=${person.userId}.`, `=${other.userId}.`));
  await refused(link.replace('document.approved', 'invoice.paid'));
  await refused(link.replace(/token=[^&]+/, 'token=1.document.approved'));
  // A form that names nothing.
  expect((await open(link, {})).status).toBe(422);
  await api.sql(`update users set status = 'blocked' where id = $1`, [person.userId]);
  await refused(link);
  await api.sql(`update users set status = 'active', email = 'new-' || email where id = $1`, [person.userId]);
  await refused(link);
  expect([...(await mailsOff(person)), ...(await mailsOff(other))]).toEqual([]);
});

test('NOT-8: a key that signed stays valid behind a new one, and ends with its removal', async () => {
  const { config, brand } = api.platform;
  const person = await api.user();
  const token = new URL(linkTo(person), api.url).searchParams.get('token') ?? '';
  const openWith = (keys: string | undefined) => query(api.platform, (db) => openMailLink(db, { ...config, ENCRYPTION_KEY: keys }, token));
  expect(await openWith(`a new key, ${config.ENCRYPTION_KEY}`)).toEqual({ userId: person.userId, type: 'document.approved' });
  for (const keys of ['a new key', undefined]) await expect(openWith(keys)).rejects.toMatchObject({ code: 'token_invalid' });
  // Without a key, a mail has no link.
  const { unsubscribe, text } = mailTo(person, 'en', { brand, config: { ...config, ENCRYPTION_KEY: undefined } });
  expect([unsubscribe, text]).toEqual([undefined, expect.not.stringContaining('mail-preferences')]);
});

test.each(languages)('NOT-9: the page has a switch for each type in words, and shows nothing of the person: %s', async (language) => {
  const person = await api.user();
  const { status, policy, text } = await open(linkTo(person, language));
  expect([status, policy]).toEqual([200, expect.stringContaining("form-action 'self'")]);
  expect(policy).not.toContain('unsafe');
  expect([...text.matchAll(/name="type" value="([a-z_.]+)" checked/g)].map(([, type = '']) => type).toSorted()).toEqual(types.toSorted());
  const words = text.slice(text.indexOf('<body')).replaceAll(/<[^<>]+>/g, ' ');
  for (const type of types) expect(words).not.toContain(type);
  for (const own of [person.email, 'undefined', '«»']) expect(text).not.toContain(own);
  // Within a group, no two switches have the same words.
  for (const [, group = ''] of text.matchAll(/<fieldset>(.*?)<\/fieldset>/g)) {
    const labels = [...group.matchAll(/<label>.*?> ([^<]+)</g)].map(([, label]) => label);
    expect(labels).toEqual([...new Set(labels)]);
  }
});

test('NOT-9: the saved form keeps the chosen mails, turns the others off and leaves the bot', async () => {
  const person = await api.user();
  const link = linkTo(person);
  const paid = { type: 'invoice.paid', mail: false, bot: true };
  person.expect(200, await person.put('/notifications/preferences', { preferences: [paid] }));
  const kept = types.filter((type) => !type.startsWith('photo.'));
  const saved = await open(link, [['save', 'chosen'], ...kept.map((type): [string, string] => ['type', type])]);
  expect([saved.status, saved.text]).toEqual([200, expect.stringContaining('Saved')]);
  expect(await mailsOff(person)).toEqual(types.filter((type) => type.startsWith('photo.')).toSorted());
  const bots = await api.sql('select type from notification_preferences where user_id = $1 and bot', [person.userId]);
  expect(bots).toEqual([{ type: 'invoice.paid' }]);
  expect((await open(link, { save: 'none' })).status).toBe(200);
  expect(await mailsOff(person)).toEqual(types.toSorted());
});
