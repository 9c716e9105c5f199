import { defineTexts } from '../../shared/texts.ts';

export const searchTexts = defineTexts({
  next: ['Следующий результат', 'Келесі нәтиже', 'Next result'],
  previous: ['Предыдущий результат', 'Алдыңғы нәтиже', 'Previous result'],
  about: [
    'Ищутся имя, город, название соревнования, ИИН или БИН, телефон, почта, номер сертификата, договора или счёта, номер записи (application/12) и номер запроса.',
    'Аты-жөні, қала, жарыс атауы, ЖСН немесе БСН, телефон, пошта, сертификат, шарт не шот нөмірі, жазба нөмірі (application/12) және сұрау нөмірі ізделеді.',
    'Searches names, cities, titles of events, IIN or BIN, phones, e-mails, numbers of certificates, agreements and invoices, records (application/12) and request ids.',
  ],
  nothing: (q: string) => [
    `По запросу «${q}» ничего не найдено. Проверьте написание или введите меньше слов.`,
    `«${q}» бойынша ештеңе табылмады. Жазылуын тексеріңіз немесе сөзді азайтыңыз.`,
    `Nothing is found for “${q}”. Check the spelling or enter fewer words.`,
  ],
  some: [
    'Показаны первые 20. Уточните запрос, если нужной записи нет.',
    'Алғашқы 20 нәтиже көрсетілді. Керек жазба болмаса, сұрауды нақтылаңыз.',
    'These are the first 20. Enter more if the record is not among them.',
  ],
});
