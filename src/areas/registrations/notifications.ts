import { after, defineNotifications, type Facts, reasonOf, words } from '../notifications/index.ts';

/**
 * Notifications to athlete and organizer about a registration. Facts: `side`: the recipient, `athlete` or `organizer`; `event_id`; `day`:
 * the first day without eligibility; `start_number`; `until`: the last instant for a correction or of an offer; `correction`: `closed`
 * after it; `place`: in the line of a class; `outcome` of an offer that ran out: `requeued` or `withdrawn`.
 */
export const registrationNotifications = defineNotifications({
  'registration.approved': {
    en: (facts, id) =>
      words(
        'Registration approved',
        `Your registration ${id}${forEventEn(facts)} has been approved.`,
        after('Start number: ', facts.text('start_number'), '.'),
      ),
    ru: (facts, id) =>
      words(
        'Регистрация утверждена',
        `Ваша регистрация № ${id}${forEventRu(facts)} утверждена.`,
        after('Стартовый номер: ', facts.text('start_number'), '.'),
      ),
    kk: (facts, id) =>
      words(
        'Тіркеу бекітілді',
        `Сіздің${forEventKk(facts)} № ${id} тіркеуіңіз бекітілді.`,
        after('Старт нөмірі: ', facts.text('start_number'), '.'),
      ),
  },
  'registration.numbered': {
    en: (facts, id) =>
      words(
        'Start number changed',
        facts.text('start_number') === undefined
          ? `Your registration ${id}${forEventEn(facts)} has no start number any more.`
          : `The start number of your registration ${id}${forEventEn(facts)} is now ${facts.text('start_number')}.`,
      ),
    ru: (facts, id) =>
      words(
        'Изменён стартовый номер',
        facts.text('start_number') === undefined
          ? `У Вашей регистрации № ${id}${forEventRu(facts)} больше нет стартового номера.`
          : `Стартовый номер Вашей регистрации № ${id}${forEventRu(facts)}: ${facts.text('start_number')}.`,
      ),
    kk: (facts, id) =>
      words(
        'Старт нөмірі өзгерді',
        facts.text('start_number') === undefined
          ? `Сіздің${forEventKk(facts)} № ${id} тіркеуіңіздің старт нөмірі енді жоқ.`
          : `Сіздің${forEventKk(facts)} № ${id} тіркеуіңіздің старт нөмірі: ${facts.text('start_number')}.`,
      ),
  },
  'registration.returned': {
    en: (facts, id) =>
      words(
        'Registration returned',
        `Your registration ${id}${forEventEn(facts)} was not accepted as it is.`,
        isClosed(facts)
          ? 'The competition has begun, so it cannot be corrected any more.'
          : `Correct it and submit it again${after(' before ', facts.moment('until'))}.`,
        reasonOf(facts),
      ),
    ru: (facts, id) =>
      words(
        'Регистрация возвращена',
        `Ваша регистрация № ${id}${forEventRu(facts)} не принята в этом виде.`,
        isClosed(facts)
          ? 'Соревнование началось, исправить её уже нельзя.'
          : `Исправьте и подайте её снова${after(' до ', facts.moment('until'))}.`,
        reasonOf(facts),
      ),
    kk: (facts, id) =>
      words(
        'Тіркеу қайтарылды',
        `Сіздің${forEventKk(facts)} № ${id} тіркеуіңіз осы күйінде қабылданбады.`,
        isClosed(facts) ? 'Жарыс басталды, оны енді түзетуге болмайды.' : 'Түзетіп, қайта жіберіңіз.',
        isClosed(facts) ? '' : after('Соңғы мерзім: ', facts.moment('until'), '.'),
        reasonOf(facts),
      ),
  },
  'registration.rejected': {
    en: (facts, id) => words('Registration rejected', `Your registration ${id}${forEventEn(facts)} has been rejected.`, reasonOf(facts)),
    ru: (facts, id) => words('Регистрация отклонена', `Ваша регистрация № ${id}${forEventRu(facts)} отклонена.`, reasonOf(facts)),
    kk: (facts, id) => words('Тіркеу қабылданбады', `Сіздің${forEventKk(facts)} № ${id} тіркеуіңіз қабылданбады.`, reasonOf(facts)),
  },
  'registration.waiting': {
    en: (facts, id) =>
      words(
        'In line for a place',
        `The class is full. Your registration ${id}${forEventEn(facts)} waits${after(', place in the line: ', facts.text('place'))}.`,
      ),
    ru: (facts, id) =>
      words(
        'В списке ожидания',
        `Мест в классе нет. Ваша регистрация № ${id}${forEventRu(facts)} ждёт места${after(', номер в очереди: ', facts.text('place'))}.`,
      ),
    kk: (facts, id) =>
      words(
        'Күту тізімінде',
        `Класта бос орын жоқ. Сіздің${forEventKk(facts)} № ${id} тіркеуіңіз орын күтіп тұр${after(', кезектегі нөмірі: ', facts.text('place'))}.`,
      ),
  },
  'registration.offered': {
    en: (facts, id) =>
      words(
        'A place is free',
        `A place is offered to your registration ${id}${forEventEn(facts)}.`,
        `Accept it${after(' before ', facts.moment('until'))}, or withdraw the registration.`,
      ),
    ru: (facts, id) =>
      words(
        'Освободилось место',
        `Вашей регистрации № ${id}${forEventRu(facts)} предложено место.`,
        `Примите его${after(' до ', facts.moment('until'))} или отзовите регистрацию.`,
      ),
    kk: (facts, id) =>
      words(
        'Орын босады',
        `Сіздің${forEventKk(facts)} № ${id} тіркеуіңізге орын ұсынылды.`,
        'Оны қабылдаңыз немесе тіркеуді қайтарып алыңыз.',
        after('Соңғы мерзім: ', facts.moment('until'), '.'),
      ),
  },
  'registration.offer_expired': {
    en: (facts, id) =>
      words(
        'The offer has run out',
        `The place offered to your registration ${id}${forEventEn(facts)} was not accepted in time.`,
        isWithdrawn(facts)
          ? 'It was the second offer, so the registration was withdrawn.'
          : 'The registration waits at the end of the line.',
      ),
    ru: (facts, id) =>
      words(
        'Срок предложения истёк',
        `Место, предложенное Вашей регистрации № ${id}${forEventRu(facts)}, не принято вовремя.`,
        isWithdrawn(facts) ? 'Это было второе предложение, поэтому регистрация отозвана.' : 'Регистрация ждёт в конце очереди.',
      ),
    kk: (facts, id) =>
      words(
        'Ұсыныстың мерзімі өтті',
        `Сіздің${forEventKk(facts)} № ${id} тіркеуіңізге ұсынылған орын уақытында қабылданбады.`,
        isWithdrawn(facts) ? 'Бұл екінші ұсыныс еді, сондықтан тіркеу қайтарып алынды.' : 'Тіркеу кезектің соңында күтіп тұр.',
      ),
  },
  'registration.withdrawn': {
    en: (facts, id) => words('Registration withdrawn', `The athlete has withdrawn registration ${id}${forEventEn(facts)}.`),
    ru: (facts, id) => words('Регистрация отозвана', `Спортсмен отозвал регистрацию № ${id}${forEventRu(facts)}.`),
    kk: (facts, id) => words('Тіркеу қайтарып алынды', `Спортшы${forEventKk(facts)} № ${id} тіркеуін қайтарып алды.`),
  },
  'registration.lapsed': {
    en: (facts, id) =>
      words(
        'Registration no longer eligible',
        `${isAthlete(facts) ? 'Your registration' : 'Registration'} ${id}${forEventEn(facts)} is no longer eligible on every remaining day of the competition${after('. First day: ', facts.day('day'))}.`,
        isAthlete(facts) ? 'It names each reason. Correct or replace the certificate or document, or withdraw the registration.' : '',
      ),
    ru: (facts, id) =>
      words(
        'Регистрация больше не отвечает условиям',
        `${isAthlete(facts) ? 'Ваша регистрация' : 'Регистрация'} № ${id}${forEventRu(facts)} больше не отвечает условиям допуска во все оставшиеся дни соревнования.`,
        after('Первый день, когда условия не выполнены: ', facts.day('day'), '.'),
        isAthlete(facts) ? 'В ней названа каждая причина. Исправьте или замените сертификат или документ либо отзовите регистрацию.' : '',
      ),
    kk: (facts, id) =>
      words(
        'Тіркеу енді шарттарға сай емес',
        `${registrationKk(facts, id)} енді жарыстың қалған барлық күнінде қатысу шарттарына сай емес.`,
        after('Шарттар орындалмайтын алғашқы күн: ', facts.day('day'), '.'),
        isAthlete(facts)
          ? 'Онда әр себеп көрсетілген. Сертификатты немесе құжатты түзетіңіз, ауыстырыңыз немесе тіркеуді қайтарып алыңыз.'
          : '',
      ),
  },
  'registration.eligible_again': {
    en: (facts, id) =>
      words(
        'Registration eligible again',
        `${isAthlete(facts) ? 'Your registration' : 'Registration'} ${id}${forEventEn(facts)} is eligible on every remaining day of the competition again.`,
      ),
    ru: (facts, id) =>
      words(
        'Регистрация снова отвечает условиям',
        `${isAthlete(facts) ? 'Ваша регистрация' : 'Регистрация'} № ${id}${forEventRu(facts)} снова отвечает условиям допуска во все оставшиеся дни соревнования.`,
      ),
    kk: (facts, id) =>
      words(
        'Тіркеу қайтадан шарттарға сай',
        `${registrationKk(facts, id)} жарыстың қалған барлық күнінде қатысу шарттарына қайтадан сай келеді.`,
      ),
  },
  'registration.event_cancelled': {
    en: (facts, id) =>
      words(
        'Competition cancelled',
        `The competition of your registration ${id}${after(', event ', facts.text('event_id'), ',')} has been cancelled.`,
      ),
    ru: (facts, id) =>
      words(
        'Соревнование отменено',
        `Соревнование${after(' № ', facts.text('event_id'))}, на которое подана Ваша регистрация № ${id}, отменено.`,
      ),
    kk: (facts, id) =>
      words('Жарыс өткізілмейді', `Сіздің № ${id} тіркеуіңіз жасалған жарыс${after(' (№ ', facts.text('event_id'), ')')} өткізілмейді.`),
  },
});

function isAthlete(facts: Facts): boolean {
  return facts.text('side') === 'athlete';
}

function isWithdrawn(facts: Facts): boolean {
  return facts.text('outcome') === 'withdrawn';
}

function isClosed(facts: Facts): boolean {
  return facts.text('correction') === 'closed';
}

function forEventEn(facts: Facts): string {
  return after(' for event ', facts.text('event_id'));
}

function forEventRu(facts: Facts): string {
  return after(' на соревнование № ', facts.text('event_id'));
}

function forEventKk(facts: Facts): string {
  return after(' № ', facts.text('event_id'), ' жарыстағы');
}

function registrationKk(facts: Facts, id: string): string {
  return isAthlete(facts)
    ? `Сіздің${forEventKk(facts)} № ${id} тіркеуіңіз`
    : `${after('№ ', facts.text('event_id'), ' жарыстағы ')}№ ${id} тіркеу`;
}
