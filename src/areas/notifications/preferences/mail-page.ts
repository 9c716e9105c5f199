import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage, type Language } from '../../../http/language.ts';
import { escapeHtml, type Page, renderVerdict } from '../../../http/response/page.ts';
import { pageFor } from '../../../http/response/reply.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import { answerLink } from '../../accounts/index.ts';
import { type NotificationKind, notificationKinds, titleOf } from '../define-notifications.ts';
import { mailPreferencesPath, openMailLink } from './mail-links.ts';
import { listPreferences, type Preference, setPreferences } from './set-preferences.ts';

const ru = {
  title: 'Письма реестра',
  explanation:
    'Отметьте, о чём присылать письма. Уведомления остаются в реестре и без писем. Письма о безопасности учётной записи приходят всегда.',
  stopOne: (kind: string) => `Не присылать письма «${kind}»`,
  stopAll: 'Не присылать ни одного',
  save: 'Сохранить',
  back: 'К выбору писем',
  stopped: { heading: 'Письма отключены', text: (kind: string) => `Письма «${kind}» больше не приходят.` },
  saved: { heading: 'Сохранено', text: 'Реестр присылает только выбранные письма.' },
  refused: {
    heading: 'Ссылка недействительна',
    text: 'Откройте ссылку из последнего письма реестра. Если учётная запись заблокирована, ссылки её писем не действуют.',
  },
  groups: {
    profile: 'Профиль и документы',
    application: 'Заявки и сертификаты',
    registration: 'Регистрации на соревнования',
    event_stage: 'Организация соревнований',
    agreement: 'Соглашения',
    invoice: 'Оплата и кошелёк',
    other: 'Прочее',
  },
};
const texts: Record<Language, typeof ru> = {
  ru,
  kk: {
    title: 'Тізілімнің хаттары',
    explanation:
      'Қандай хаттар келетінін белгілеңіз. Хат болмаса да, хабарландырулар тізілімде қалады. Есептік жазбаның қауіпсіздігі туралы хаттар әрқашан келеді.',
    stopOne: (kind) => `«${kind}» хаттарын жібермеу`,
    stopAll: 'Ешқайсысын жібермеу',
    save: 'Сақтау',
    back: 'Хаттарды таңдауға оралу',
    stopped: { heading: 'Хаттар өшірілді', text: (kind) => `«${kind}» хаттары енді келмейді.` },
    saved: { heading: 'Сақталды', text: 'Тізілім тек таңдалған хаттарды жібереді.' },
    refused: {
      heading: 'Сілтеме жарамсыз',
      text: 'Тізілімнің соңғы хатындағы сілтемені ашыңыз. Есептік жазба бұғатталған болса, оның хаттарындағы сілтемелер жарамсыз.',
    },
    groups: {
      profile: 'Профиль және құжаттар',
      application: 'Өтінімдер мен сертификаттар',
      registration: 'Жарыстарға тіркелу',
      event_stage: 'Жарыстарды ұйымдастыру',
      agreement: 'Келісімдер',
      invoice: 'Төлем және әмиян',
      other: 'Басқалары',
    },
  },
  en: {
    title: 'Mails of the registry',
    explanation:
      'Choose the subjects of mails. Notifications stay in the registry without a mail too. Mails about the security of your account are always sent.',
    stopOne: (kind) => `Stop the mails "${kind}"`,
    stopAll: 'Send none of them',
    save: 'Save',
    back: 'Back to the choice of mails',
    stopped: { heading: 'Mails turned off', text: (kind) => `The mails "${kind}" are no longer sent.` },
    saved: { heading: 'Saved', text: 'The registry sends only the mails that you chose.' },
    refused: {
      heading: 'The link is not valid',
      text: 'Open the link of the latest mail of the registry. Links of a blocked account do not work.',
    },
    groups: {
      profile: 'Profile and documents',
      application: 'Applications and certificates',
      registration: 'Registrations for competitions',
      event_stage: 'Organizing competitions',
      agreement: 'Agreements',
      invoice: 'Payment and wallet',
      other: 'Other',
    },
  },
};

type Group = keyof typeof ru.groups;
/** Group of the page by the record of a type (`<record>.<event>`), unless the record has its name; any other is in `other`. */
const groupOfRecord: Readonly<Record<string, Group>> = {
  photo: 'profile',
  document: 'profile',
  record: 'profile',
  additional_document: 'event_stage',
  ledger: 'invoice',
};

function groupOf(type: string): Group {
  const [record = ''] = type.split('.');
  return groupOfRecord[record] ?? (Object.hasOwn(ru.groups, record) ? (record as Group) : 'other');
}

/** Both forms post to the address of the page, whose token is the proof. */
function renderPreferences(language: Language, token: string, named: NotificationKind | undefined, switches: readonly Switch[]): Page {
  const { title, explanation, stopOne, stopAll, save, groups } = texts[language];
  const query = new URLSearchParams({ token }).toString();
  const form = `<form method="post" action="?${escapeHtml(query)}&amp;lang=${language}">`;
  const isOn = switches.some(({ kind, mail }) => kind === named && mail);
  const stop =
    named && isOn
      ? `${form}<input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${escapeHtml(stopOne(titleOf(named, language)))}</button></form>\n`
      : '';
  const fields = Object.entries(groups).map(([group, heading]) => {
    const boxes = switches
      .filter(({ kind }) => groupOf(kind.type) === group)
      .map(
        ({ kind, mail }) =>
          `<label><input type="checkbox" name="type" value="${kind.type}"${mail ? ' checked' : ''}> ${escapeHtml(titleOf(kind, language))}</label>`,
      );
    return `<fieldset><legend>${escapeHtml(heading)}</legend>${boxes.join('')}</fieldset>`;
  });
  const content = `<h1>${escapeHtml(title)}</h1>
${stop}<p>${escapeHtml(explanation)}</p>
${form}
${fields.join('\n')}
<button name="save" value="chosen">${escapeHtml(save)}</button>
<button name="save" value="none" class="plain">${escapeHtml(stopAll)}</button>
</form>`;
  return { language, title, content, query, hasForm: true };
}

interface Switch extends Pick<Preference, 'mail'> {
  kind: NotificationKind;
}

function renderDone(language: Language, token: string, { heading, text }: typeof ru.saved): Page {
  const address = escapeHtml(`?${new URLSearchParams({ token, lang: language }).toString()}`);
  const content = `${renderVerdict('valid', heading, text)}\n<a class="back" href="${address}">${escapeHtml(texts[language].back)}</a>`;
  return { language, title: texts[language].title, content, query: null };
}

/**
 * The page behind the link of a notification's mail (NOT-8, NOT-9). The signed token is the proof and no cookie is read, so these routes
 * need no session and no CSRF token. Opening the link changes nothing, because mail programs open links too.
 */
export function mailPreferencesRoutes(extensions: Extensions): Route[] {
  const kinds = extensions
    .of(notificationKinds)
    .flatMap((entered) => Object.values(entered))
    .toSorted((one, other) => (one.type < other.type ? -1 : 1));
  const types = kinds.map(({ type }) => type);
  const shared = {
    path: mailPreferencesPath,
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag: 'Notifications, messenger, chat',
    response: { content: ['text/html'] },
  } as const;
  const tokenQuery = z.looseObject({ token: z.string().max(200).optional() });
  const route = 'sendMailPreferences';
  return [
    defineRoute({
      ...shared,
      name: 'showMailPreferences',
      method: 'GET',
      summary: 'Show the mail preferences behind the link of a mail',
      request: { query: tokenQuery },
      handler: ({ platform, caller, query: { token = '', lang }, header }) => {
        const language = chooseLanguage(lang, header('accept-language'));
        const pageQuery = new URLSearchParams({ token }).toString();
        return answerLink({ platform, caller, language, route, texts: texts[language], pageQuery }, async () => {
          const { type, preferences } = await query(platform, async (db) => {
            const link = await openMailLink(db, platform.config, token);
            return { ...link, preferences: await listPreferences(db, link.userId, types) };
          });
          const switches = kinds.map((kind, index) => ({ kind, mail: preferences[index]?.mail === true }));
          return pageFor(renderPreferences(language, token, kinds[types.indexOf(type)], switches));
        });
      },
    }),
    defineRoute({
      ...shared,
      name: route,
      method: 'POST',
      bodyKind: 'raw',
      summary: 'Turn mails off with the link of a mail',
      description:
        'A form with `List-Unsubscribe=One-Click` turns off the mails of the type that the link names (RFC 8058). A form with `save` keeps the mails of each `type` and turns all others off.',
      request: { query: tokenQuery, body: z.string() },
      handler: ({ platform, caller, query: { token = '', lang }, header, body: form }) => {
        const language = chooseLanguage(lang, header('accept-language'));
        const { stopped, saved } = texts[language];
        return answerLink({ platform, caller, language, route, texts: texts[language], pageQuery: null }, async () => {
          const fields = new URLSearchParams(form);
          const chosen = new Set(fields.get('save') === 'none' ? [] : fields.getAll('type'));
          // Mail programs send it as multipart/form-data too.
          const isOneClick = !fields.has('save') && /List-Unsubscribe/i.test(form);
          if (!isOneClick && !fields.has('save')) throw new DomainError('validation_failed');
          const { type } = await commit(platform, caller, async (ctx) => {
            const link = await openMailLink(ctx.db, platform.config, token);
            const wanted = isOneClick ? [{ type: link.type, mail: false }] : types.map((each) => ({ type: each, mail: chosen.has(each) }));
            await setPreferences(
              ctx,
              link.userId,
              wanted.map((preference) => ({ ...preference, bot: null })),
            );
            return link;
          });
          const named = kinds[types.indexOf(type)];
          const done = isOneClick && named ? { ...stopped, text: stopped.text(titleOf(named, language)) } : saved;
          return pageFor(renderDone(language, token, done));
        });
      },
    }),
  ];
}
