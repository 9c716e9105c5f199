import { documentTypeTitles } from '../catalog/index.ts';
import { after, defineNotifications, type Facts, noteOf, reasonOf, words } from '../notifications/index.ts';

/**
 * Texts of notifications about an application. Facts: `service`, the service's title; `year` of the application; `renew_year`, a year that
 * can be applied for now; `renew_from`, the day from which an application is possible; `expired`, the documents that caused its return.
 * Each of these has `document_id`, `document_type`, `expires_at` and the linked `applications`.
 */
export const applicationNotifications = defineNotifications({
  'application.approved': {
    en: (facts, id) =>
      words(
        'Application approved',
        `Your application ${id}${after(' for ', facts.text('service'))} has been approved.`,
        after('Number: ', facts.text('number'), '.'),
        after('Valid until ', facts.day('valid_until'), '.'),
      ),
    ru: (facts, id) =>
      words(
        'Заявка утверждена',
        `${yourApplicationRu(facts, id)} утверждена.`,
        after('Номер: ', facts.text('number'), '.'),
        after('Действует по ', facts.day('valid_until'), '.'),
      ),
    kk: (facts, id) =>
      words(
        'Өтінім бекітілді',
        `Сіздің № ${id} өтініміңіз${forServiceKk(facts)} бекітілді.`,
        after('Нөмірі: ', facts.text('number'), '.'),
        after('Қолданылу мерзімінің соңғы күні: ', facts.day('valid_until'), '.'),
      ),
  },
  'application.changes': {
    en: (facts, id) =>
      words(
        'Application returned',
        `Your application ${id}${after(' for ', facts.text('service'))} needs your attention.`,
        ...facts.each('expired').flatMap(expiredEn),
        isByExpiry(facts) ? 'Attach a valid document and submit the application again; a payment made is kept.' : '',
        reasonOf(facts),
        noteOf(facts),
      ),
    ru: (facts, id) =>
      words(
        'Заявка возвращена',
        `${yourApplicationRu(facts, id)} требует Вашего внимания.`,
        ...facts.each('expired').flatMap(expiredRu),
        isByExpiry(facts) ? 'Приложите действующий документ и подайте заявку снова; внесённая оплата сохраняется.' : '',
        reasonOf(facts),
        noteOf(facts),
      ),
    kk: (facts, id) =>
      words(
        'Өтінім қайтарылды',
        `Сіздің № ${id} өтініміңізге${forServiceKk(facts)} назар аудару қажет.`,
        ...facts.each('expired').flatMap(expiredKk),
        isByExpiry(facts) ? 'Жарамды құжатты тіркеп, өтінімді қайта жіберіңіз; жасалған төлем сақталады.' : '',
        reasonOf(facts),
        noteOf(facts),
      ),
  },
  'application.cancelled': {
    en: (facts, id) =>
      words(
        'Application cancelled',
        `Your application ${id}${after(' for ', facts.text('service'))} has been cancelled.`,
        reasonOf(facts),
        noteOf(facts),
      ),
    ru: (facts, id) => words('Заявка отменена', `${yourApplicationRu(facts, id)} отменена.`, reasonOf(facts), noteOf(facts)),
    kk: (facts, id) =>
      words('Өтінімнің күші жойылды', `Сіздің № ${id} өтініміңіздің${forServiceKk(facts)} күші жойылды.`, reasonOf(facts), noteOf(facts)),
  },
  'application.expiring': {
    en: (facts, id) =>
      words(
        'Certificate expires soon',
        `Your certificate${after(' ', facts.text('number'))} (application ${id}${after(', ', facts.text('service'))}) expires soon.`,
        after('Its last day is ', facts.day('valid_until'), '.'),
        after('Days left: ', facts.text('days'), '.'),
        after('You can apply for ', facts.text('renew_year'), ' now.'),
        after('You can apply again from ', facts.day('renew_from'), '.'),
      ),
    ru: (facts, id) =>
      words(
        'Срок действия сертификата скоро истечёт',
        `Срок действия Вашего сертификата${after(' ', facts.text('number'))} (заявка № ${id}${after(', «', facts.text('service'), '»')}) скоро истечёт.`,
        after('Последний день: ', facts.day('valid_until'), '.'),
        after('Осталось дней: ', facts.text('days'), '.'),
        after('Заявку на ', facts.text('renew_year'), ' год можно подать уже сейчас.'),
        after('Новую заявку можно подать, начиная с даты: ', facts.day('renew_from'), '.'),
      ),
    kk: (facts, id) =>
      words(
        'Сертификаттың мерзімі жақында аяқталады',
        `Сіздің${after(' ', facts.text('number'))} сертификатыңыздың (№ ${id} өтінім${after(', «', facts.text('service'), '»')}) мерзімі жақында аяқталады.`,
        after('Соңғы күні: ', facts.day('valid_until'), '.'),
        after('Қалған күн саны: ', facts.text('days'), '.'),
        after('', facts.text('renew_year'), ' жылға өтінімді қазірден бастап беруге болады.'),
        after('Жаңа өтінімді мына күннен бастап беруге болады: ', facts.day('renew_from'), '.'),
      ),
  },
  'application.closed': {
    en: (facts, id) =>
      words(
        'Application closed',
        `Your application ${id}${after(' for ', facts.text('service'))} is closed: ${after('its last day was ', facts.day('valid_until'), '.') || `its year${after(' ', facts.text('year'))} has ended.`}`,
      ),
    ru: (facts, id) =>
      words(
        'Заявка закрыта',
        `${yourApplicationRu(facts, id)} закрыта: ${after('последний день документа – ', facts.day('valid_until'), '.') || `её год${after(' (', facts.text('year'), ')')} закончился.`}`,
      ),
    kk: (facts, id) =>
      words(
        'Өтінім жабылды',
        `Сіздің № ${id} өтініміңіз${forServiceKk(facts)} жабылды: ${after('құжаттың соңғы күні – ', facts.day('valid_until'), '.') || `оның жылы${after(' (', facts.text('year'), ')')} аяқталды.`}`,
      ),
  },
  'application.refunded': {
    en: (facts, id) =>
      words('Payment returned', `The payment${after(' of ', facts.money())} for your application ${id} has been returned to your wallet.`),
    ru: (facts, id) =>
      words('Оплата возвращена', `Оплата${after(' (', facts.money(), ')')} по Вашей заявке № ${id} возвращена в Ваш кошелёк.`),
    kk: (facts, id) =>
      words('Төлем қайтарылды', `№ ${id} өтініміңіз бойынша төлем${after(' (', facts.money(), ')')} әмияныңызға қайтарылды.`),
  },
});

function yourApplicationRu(facts: Facts, id: string): string {
  return `Ваша заявка № ${id}${after(' на услугу «', facts.text('service'), '»')}`;
}

function forServiceKk(facts: Facts): string {
  return after(' («', facts.text('service'), '»)');
}

function isByExpiry(facts: Facts): boolean {
  return facts.each('expired').length > 0;
}

function expiredEn(document: Facts): string[] {
  return [
    `Document ${document.text('document_id')}${ofType(document)} expired${after(' after ', document.day('expires_at'))}.`,
    after('Linked applications: ', document.text('applications'), '.'),
  ];
}

function expiredRu(document: Facts): string[] {
  const lastDay = after(', последний день – ', document.day('expires_at'), '.') || '.';
  return [
    `Срок действия документа № ${document.text('document_id')}${ofType(document)} истёк${lastDay}`,
    after('На нём основаны заявки: ', document.text('applications'), '.'),
  ];
}

function expiredKk(document: Facts): string[] {
  const lastDay = after(', соңғы күні – ', document.day('expires_at'));
  return [
    `№ ${document.text('document_id')} құжаттың${ofType(document)} қолданылу мерзімі аяқталды${lastDay}.`,
    after('Оған негізделген өтінімдер: ', document.text('applications'), '.'),
  ];
}

function ofType(document: Facts): string {
  return after(' (', document.inSentence('document_type', documentTypeTitles), ')');
}
