import type { Context } from 'koa';
import type { DomainError } from '../../errors.ts';
import { chooseLanguage, type Language } from '../language.ts';
import { parseQuery } from '../request/validate.ts';
import { escapeHtml, type Page, renderVerdict, type Shell } from './page.ts';

interface Words {
  heading: string;
  text: string;
}

/** `address`: the path is unknown or incomplete. `tooLarge`: of a form's data. `seconds`: until a retry makes sense; null when unknown. */
const ru = {
  title: 'Реестр спортивной федерации',
  address: { heading: 'Страница не открылась', text: 'Адрес неполный или неверный. Отсканируйте QR-код или откройте ссылку ещё раз.' },
  tooMany: {
    heading: 'Слишком много запросов',
    text: (seconds: number | null) => `${seconds === null ? 'Подождите немного' : `Подождите ${seconds} с`} и откройте страницу ещё раз.`,
  },
  tooLarge: { heading: 'Файл слишком большой', text: 'Реестр принимает файлы не больше 20 МБ. Вернитесь и выберите другой файл.' },
  unavailable: { heading: 'Временно недоступно', text: 'Реестр сейчас не может ответить. Откройте страницу ещё раз через минуту.' },
  failure: {
    heading: 'Ошибка на нашей стороне',
    text: 'Откройте страницу ещё раз. Если не поможет, сообщите в федерацию номер обращения.',
  },
  requestId: 'Номер обращения',
};
const texts: Record<Language, typeof ru> = {
  ru,
  kk: {
    title: 'Спорт федерациясының тізілімі',
    address: {
      heading: 'Бет ашылмады',
      text: 'Мекенжай толық емес немесе қате. QR-кодты қайта сканерлеңіз немесе сілтемені қайта ашыңыз.',
    },
    tooMany: {
      heading: 'Сұраныс тым көп',
      text: (seconds) => `${seconds === null ? 'Сәл күтіп' : `${seconds} с күтіп`}, бетті қайта ашыңыз.`,
    },
    tooLarge: { heading: 'Файл тым үлкен', text: 'Тізілім 20 МБ-тан аспайтын файлдарды қабылдайды. Артқа қайтып, басқа файлды таңдаңыз.' },
    unavailable: { heading: 'Уақытша қолжетімсіз', text: 'Тізілім қазір жауап бере алмайды. Бір минуттан кейін бетті қайта ашыңыз.' },
    failure: { heading: 'Біздің тараптан қате шықты', text: 'Бетті қайта ашыңыз. Көмектеспесе, федерацияға өтініш нөмірін хабарлаңыз.' },
    requestId: 'Өтініш нөмірі',
  },
  en: {
    title: 'Registry of the sports federation',
    address: { heading: 'This page did not open', text: 'The address is incomplete or wrong. Scan the QR code or open the link again.' },
    tooMany: {
      heading: 'Too many requests',
      text: (seconds) => `${seconds === null ? 'Wait a little' : `Wait ${seconds} s`} and open the page again.`,
    },
    tooLarge: { heading: 'The file is too large', text: 'The registry accepts files of at most 20 MB. Go back and choose another file.' },
    unavailable: { heading: 'Not available now', text: 'The registry cannot answer at the moment. Open the page again in a minute.' },
    failure: {
      heading: 'The registry has failed',
      text: 'Open the page again. If that does not help, report the request number to the federation.',
    },
    requestId: 'Request number',
  },
};

/** Writes the refusal as a page in the reader's language; status and headers are already set. */
export function writeErrorPage(ctx: Context, refusal: DomainError, shell: Shell): void {
  const language = chooseLanguage(parseQuery(ctx.querystring)['lang'], ctx.get('accept-language'));
  const { title, requestId } = texts[language];
  const { heading, text } = wordsFor(refusal, texts[language]);
  const content = `${renderVerdict('problem', heading, text)}
<dl>
<div><dt>${escapeHtml(requestId)}</dt><dd>${escapeHtml(ctx.state.requestId)}</dd></div>
</dl>`;
  // The data of a form is not in the address, so links to other languages are impossible.
  const query = ctx.method === 'GET' || ctx.method === 'HEAD' ? ctx.querystring : null;
  const page: Page = { language, title: `${heading} · ${title}`, content, query };
  ctx.set(shell.headersOf(page));
  // The database, which knows the sandbox clock, may be what failed.
  ctx.body = shell.render(page, null);
}

function wordsFor({ status, details }: DomainError, { address, tooMany, tooLarge, unavailable, failure }: typeof ru): Words {
  if (status === 429) {
    const seconds = details?.['retry_after_seconds'];
    return { heading: tooMany.heading, text: tooMany.text(typeof seconds === 'number' ? seconds : null) };
  }
  if (status === 413) return tooLarge;
  if (status === 503) return unavailable;
  return status >= 500 ? failure : address;
}
