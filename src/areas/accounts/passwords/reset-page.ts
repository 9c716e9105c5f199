import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage, type Language } from '../../../http/language.ts';
import { escapeHtml, type Page } from '../../../http/response/page.ts';
import { pageFor } from '../../../http/response/reply.ts';
import { query } from '../../../platform/commands/command.ts';
import { answerLink, renderDone } from '../link-page.ts';
import { findOpenReset, useRecoveryLink } from './reset-password.ts';
import { resetBody } from './wire.ts';

/** Why a password was refused: its length, or it is a common one (ACC-1). */
type PasswordProblem = 'length' | 'common';

const ru = {
  title: 'Новый пароль',
  label: 'Пароль, не короче 12 знаков',
  button: 'Сохранить',
  problems: {
    length: 'В пароле должно быть от 12 до 200 знаков.',
    common: 'Такие пароли подбирают первыми. Придумайте другой.',
  },
  done: {
    heading: 'Пароль изменён',
    text: 'Все открытые сеансы завершены, ключи API отозваны, вебхуки отключены. Войдите с новым паролем.',
  },
  refused: { heading: 'Ссылка недействительна', text: 'Она использована, заменена новой или устарела. Запросите новую.' },
};
const texts: Record<Language, typeof ru> = {
  ru,
  kk: {
    title: 'Жаңа құпиясөз',
    label: 'Құпиясөз, кемінде 12 таңба',
    button: 'Сақтау',
    problems: {
      length: 'Құпиясөзде 12-ден 200-ге дейін таңба болуы керек.',
      common: 'Мұндай құпиясөздер бірінші болып тексеріледі. Басқасын ойлап табыңыз.',
    },
    done: {
      heading: 'Құпиясөз өзгертілді',
      text: 'Ашық сеанстардың бәрі аяқталды, API кілттері күшін жойды, вебхуктер өшірілді. Жаңа құпиясөзбен кіріңіз.',
    },
    refused: { heading: 'Сілтеме жарамсыз', text: 'Ол пайдаланылған, жаңасымен ауыстырылған немесе ескірген. Жаңасын сұраңыз.' },
  },
  en: {
    title: 'New password',
    label: 'Password, at least 12 characters',
    button: 'Save',
    problems: {
      length: 'The password must have 12 to 200 characters.',
      common: 'This password is easy to guess. Choose another one.',
    },
    done: {
      heading: 'Password changed',
      text: 'All open sessions were ended, the API keys revoked and the webhooks disabled. Sign in with the new password.',
    },
    refused: { heading: 'The link is not valid', text: 'It was used, replaced by a newer link, or has expired. Request a new link.' },
  },
};

/**
 * Renders the form behind the link of the recovery mail.
 * @param problem why the last attempt was refused
 * @param query see `Page`
 */
function renderResetForm(language: Language, token: string, problem: PasswordProblem | null, query: string | null): Page {
  const { title, label, button, problems } = texts[language];
  const content = `<h1>${escapeHtml(title)}</h1>
${problem === null ? '' : `<p class="alert" role="alert">${escapeHtml(problems[problem])}</p>\n`}<form method="post" action="/reset?lang=${language}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="password">${escapeHtml(label)}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required>
<button>${escapeHtml(button)}</button>
</form>`;
  return { language, title, content, query, hasForm: true };
}

const tag = 'Accounts';

/**
 * Pages behind the link of the recovery mail, for people without the web client. The token in the form is the proof and no cookie is
 * read, so these routes need no CSRF token.
 */
export const resetPageRoutes: Route[] = [
  defineRoute({
    name: 'showResetForm',
    method: 'GET',
    path: '/reset',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'Show the form of a recovery link',
    request: { query: z.looseObject({ token: z.string().max(200).optional() }) },
    response: { content: ['text/html'] },
    handler: ({ platform, caller, query: { token = '', lang }, header }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      const pageQuery = new URLSearchParams({ token }).toString();
      return answerLink({ platform, caller, language, route: 'sendResetForm', texts: texts[language], pageQuery }, async () => {
        await query(platform, (db, now) => findOpenReset(db, token, now));
        return pageFor(renderResetForm(language, token, null, pageQuery));
      });
    },
  }),
  defineRoute({
    name: 'sendResetForm',
    method: 'POST',
    path: '/reset',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    bodyKind: 'raw',
    tag,
    summary: 'Set a new password with the form of a recovery link',
    request: { query: z.looseObject({}), body: z.string() },
    response: { content: ['text/html'] },
    handler: ({ platform, caller, query: { lang }, header, body: form, signal }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      return answerLink({ platform, caller, language, route: 'sendResetForm', texts: texts[language], pageQuery: null }, async () => {
        const fields = new URLSearchParams(form);
        const token = fields.get('token') ?? '';
        const parsed = resetBody.safeParse({ token, password: fields.get('password') ?? '' });
        if (parsed.success) {
          await useRecoveryLink(platform, caller, parsed.data, signal);
          return pageFor(renderDone(language, texts[language]));
        }
        await query(platform, (db, now) => findOpenReset(db, token, now));
        return pageFor(renderResetForm(language, token, problemOf(parsed.error), null), 422);
      });
    },
  }),
];

function problemOf({ issues }: z.ZodError): PasswordProblem {
  return issues.every(({ code }) => code === 'custom') ? 'common' : 'length';
}
