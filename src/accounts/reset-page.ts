import type { Language } from '../http/language.ts';
import { escapeHtml, renderPage, renderVerdict } from '../http/page.ts';

/** Why a password was not taken: too short or too long, or one that everybody tries. */
export type PasswordProblem = 'length' | 'common';

interface ResetTexts {
  title: string;
  label: string;
  button: string;
  problems: Record<PasswordProblem, string>;
  done: { heading: string; text: string };
  refused: { heading: string; text: string };
}

const texts: Record<Language, ResetTexts> = {
  ru: {
    title: 'Новый пароль',
    label: 'Пароль, не короче 12 знаков',
    button: 'Сохранить',
    problems: {
      length: 'В пароле должно быть от 12 до 200 знаков.',
      common: 'Такие пароли подбирают первыми. Придумайте другой.',
    },
    done: { heading: 'Пароль изменён', text: 'Все открытые сеансы завершены, ключи API отозваны. Войдите с новым паролем.' },
    refused: { heading: 'Ссылка недействительна', text: 'Она использована, заменена новой или устарела. Запросите новую.' },
  },
  kk: {
    title: 'Жаңа құпиясөз',
    label: 'Құпиясөз, кемінде 12 таңба',
    button: 'Сақтау',
    problems: {
      length: 'Құпиясөзде 12-ден 200-ге дейін таңба болуы керек.',
      common: 'Мұндай құпиясөздер бірінші болып тексеріледі. Басқасын ойлап табыңыз.',
    },
    done: { heading: 'Құпиясөз өзгертілді', text: 'Ашық сеанстардың бәрі аяқталды, API кілттері күшін жойды. Жаңа құпиясөзбен кіріңіз.' },
    refused: { heading: 'Сілтеме жарамсыз', text: 'Ол пайдаланылған, жаңасымен ауыстырылған немесе ескірген. Жаңасын сұраңыз.' },
  },
  en: {
    title: 'New password',
    label: 'Password, at least 12 characters',
    button: 'Save',
    problems: {
      length: 'A password has 12 to 200 characters.',
      common: 'Attackers try this one first. Choose another.',
    },
    done: {
      heading: 'The password is changed',
      text: 'All open sessions have ended and API keys were revoked. Sign in with the new password.',
    },
    refused: { heading: 'The link is no longer good', text: 'It was used, replaced by a newer one, or is too old. Ask for a new one.' },
  },
};

/**
 * The form behind the link of the recovery mail.
 * @param problem why the last try was refused
 * @param query see `renderPage`
 */
export function renderResetForm(language: Language, token: string, problem: PasswordProblem | null, query: string | null): string {
  const { title, label, button, problems } = texts[language];
  return renderPage(
    language,
    title,
    `<h1>${escapeHtml(title)}</h1>
${problem === null ? '' : `<p class="alert" role="alert">${escapeHtml(problems[problem])}</p>\n`}<form method="post" action="/reset?lang=${language}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="password">${escapeHtml(label)}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required>
<button>${escapeHtml(button)}</button>
</form>`,
    query,
  );
}

export function renderResetDone(language: Language): string {
  const { title, done } = texts[language];
  return renderPage(language, title, renderVerdict('valid', done.heading, done.text), null);
}

/** For a link that is used, replaced or too old. */
export function renderResetRefused(language: Language, query: string | null): string {
  const { title, refused } = texts[language];
  return renderPage(language, title, renderVerdict('problem', refused.heading, refused.text), query);
}
