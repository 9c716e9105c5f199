import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage, type Language } from '../../../http/language.ts';
import { escapeHtml, type Page } from '../../../http/response/page.ts';
import { pageFor } from '../../../http/response/reply.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { answerLink, renderDone } from '../link-page.ts';
import { confirmEmail, findOpenConfirmation } from './confirm-email.ts';

const ru = {
  title: 'Подтверждение адреса',
  explanation: 'Нажмите кнопку, если учётную запись в реестре открыли Вы. После этого на адрес будут приходить уведомления.',
  button: 'Подтвердить адрес',
  done: { heading: 'Адрес подтверждён', text: 'Теперь письма реестра приходят на этот адрес.' },
  refused: {
    heading: 'Ссылка недействительна',
    text: 'Она использована, заменена новой или устарела. Если адрес ещё не подтверждён, войдите и запросите новую.',
  },
};
const texts: Record<Language, typeof ru> = {
  ru,
  kk: {
    title: 'Мекенжайды растау',
    explanation: 'Тізілімдегі есептік жазбаны Сіз ашсаңыз, түймені басыңыз. Содан кейін осы мекенжайға хабарландырулар келеді.',
    button: 'Мекенжайды растау',
    done: { heading: 'Мекенжай расталды', text: 'Енді тізілімнің хаттары осы мекенжайға келеді.' },
    refused: {
      heading: 'Сілтеме жарамсыз',
      text: 'Ол пайдаланылған, жаңасымен ауыстырылған немесе ескірген. Мекенжай әлі расталмаса, кіріп, жаңасын сұраңыз.',
    },
  },
  en: {
    title: 'Confirm your address',
    explanation: 'Press the button if you opened the account in the registry. Notifications are then sent to this address.',
    button: 'Confirm the address',
    done: { heading: 'Address confirmed', text: 'Mails of the registry now go to this address.' },
    refused: {
      heading: 'The link is not valid',
      text: 'It was used, replaced by a newer link, or has expired. If the address is not confirmed yet, sign in and request a new link.',
    },
  },
};

function renderConfirmationForm(language: Language, token: string, query: string): Page {
  const { title, explanation, button } = texts[language];
  const content = `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(explanation)}</p>
<form method="post" action="/confirm-email?lang=${language}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button>${escapeHtml(button)}</button>
</form>`;
  return { language, title, content, query, hasForm: true };
}

const tag = 'Accounts';
const route = 'sendConfirmationForm';

/**
 * Pages behind the link of the confirmation mail. Opening the link changes nothing, because mail programs open links too; the button
 * confirms. The token in the form is the proof and no cookie is read, so these routes need no CSRF token.
 */
export const confirmationPageRoutes: Route[] = [
  defineRoute({
    name: 'showConfirmationForm',
    method: 'GET',
    path: '/confirm-email',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'Show the form of a confirmation link',
    request: { query: z.looseObject({ token: z.string().max(200).optional() }) },
    response: { content: ['text/html'] },
    handler: ({ platform, caller, query: { token = '', lang }, header }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      const pageQuery = new URLSearchParams({ token }).toString();
      return answerLink({ platform, caller, language, route, texts: texts[language], pageQuery }, async () => {
        await query(platform, (db, now) => findOpenConfirmation(db, token, now));
        return pageFor(renderConfirmationForm(language, token, pageQuery));
      });
    },
  }),
  defineRoute({
    name: route,
    method: 'POST',
    path: '/confirm-email',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    bodyKind: 'raw',
    tag,
    summary: 'Confirm an address with the form of a confirmation link',
    request: { query: z.looseObject({}), body: z.string() },
    response: { content: ['text/html'] },
    handler: ({ platform, caller, query: { lang }, header, body: form }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      return answerLink({ platform, caller, language, route, texts: texts[language], pageQuery: null }, async () => {
        await commit(platform, caller, (ctx) => confirmEmail(ctx, new URLSearchParams(form).get('token') ?? ''));
        return pageFor(renderDone(language, texts[language]));
      });
    },
  }),
];
