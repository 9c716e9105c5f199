import { z } from 'zod';
import { access } from './access/access.ts';
import { defineRoute, type Route } from './define-route.ts';
import { chooseLanguage, type Language } from './language.ts';
import { buildPagePath, startPagePath } from './openapi/guide.ts';
import { escapeHtml } from './response/page.ts';
import { pageFor } from './response/reply.ts';

const ru = {
  title: 'Реестр',
  qr: 'Чтобы проверить сертификат или договор, отсканируйте его QR-код камерой телефона.',
  calendar: 'Календарь соревнований',
  gate: 'Контроль документов без сети',
  desk: 'Рабочее место федерации',
  start: 'Для программистов: от регистрации до сертификата',
  programs: 'Для программистов: как подключить программу',
  reference: 'Для программистов: справочник API',
};
const texts: Record<Language, typeof ru> = {
  ru,
  kk: {
    title: 'Тізілім',
    qr: 'Сертификатты немесе шартты тексеру үшін оның QR-кодын телефон камерасымен сканерлеңіз.',
    calendar: 'Жарыстар күнтізбесі',
    gate: 'Құжаттарды желісіз тексеру',
    desk: 'Федерацияның жұмыс орны',
    start: 'Бағдарламашыларға: тіркелуден сертификатқа дейін',
    programs: 'Бағдарламашыларға: бағдарламаны қосу',
    reference: 'Бағдарламашыларға: API анықтамалығы',
  },
  en: {
    title: 'Registry',
    qr: 'To check a certificate or an agreement, scan its QR code with the camera of a phone.',
    calendar: 'Calendar of competitions',
    gate: 'Check documents without a network',
    desk: 'Desk of the federation',
    start: 'For programmers: from registration to certificate',
    programs: 'For programmers: build on the registry',
    reference: 'For programmers: the reference of the API',
  },
};

/** The page of the bare address, which leads to all others. */
export const homePageRoute: Route = defineRoute({
  name: 'showHomePage',
  method: 'GET',
  path: '/',
  access: access.public,
  atRoot: true,
  answersPeople: true,
  tag: 'Reference',
  summary: 'Show the page that leads to all others',
  request: { query: z.looseObject({}) },
  response: { content: ['text/html'] },
  handler: async ({ query: { lang }, header }) => {
    const language = chooseLanguage(lang, header('accept-language'));
    const { title, qr, ...links } = texts[language];
    const addresses = {
      calendar: '/events',
      gate: '/gate',
      desk: '/desk',
      start: startPagePath,
      programs: buildPagePath,
      reference: '/docs',
    } as const;
    const items = Object.entries(addresses).map(([name, address]) => {
      const words = links[name as keyof typeof addresses];
      return `<li><a href="${address}">${escapeHtml(words)}</a></li>`;
    });
    const content = `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(qr)}</p>\n<ul>${items.join('')}</ul>`;
    return pageFor({ language, title, content, query: '', isForAll: true });
  },
});
