import { defineTexts } from '../../shared/texts.ts';

export const queueTexts = defineTexts({
  words: ['Слова', 'Сөздер', 'Words'],
  wordsHint: ['ФИО, ИИН, почта, номер', 'Аты-жөні, ЖСН, пошта, нөмір', 'Name, IIN, e-mail, number'],
  kind: ['Вид', 'Түрі', 'Kind'],
  age: ['Ждёт', 'Күтуде', 'Waiting'],
  /** By days. */
  ages: {
    '1': ['больше дня', 'бір күннен көп', 'over a day'],
    '3': ['больше трёх дней', 'үш күннен көп', 'over three days'],
    '7': ['больше недели', 'бір аптадан көп', 'over a week'],
    '30': ['больше месяца', 'бір айдан көп', 'over a month'],
  },
  before: (day: string) => [`поступило до ${day}`, `мына күнге дейін түскен: ${day}`, `received before ${day}`],
  flags: {
    duplicate_iin: ['повтор ИИН', 'ЖСН қайталанады', 'duplicate IIN'],
    agreement_differs: ['не совпадает с договором', 'шартқа сай емес', 'differs from its agreement'],
    participants_not_valid: ['есть недопущенные', 'жіберілмегендер бар', 'some not eligible'],
  },
  empty: ['Никто не ждёт решения.', 'Шешім күтіп тұрған ештеңе жоқ.', 'Nothing waits for a decision.'],
  nothingFound: ['По этим фильтрам ничего не ждёт.', 'Бұл сүзгілер бойынша ештеңе күтіп тұрған жоқ.', 'Nothing waits under these filters.'],
  clear: ['Сбросить фильтры', 'Сүзгілерді тазарту', 'Clear the filters'],
  back: ['К списку', 'Тізімге', 'Back to the list'],
  next: ['Следующая запись', 'Келесі жазба', 'Next record'],
  previous: ['Предыдущая запись', 'Алдыңғы жазба', 'Previous record'],
});
