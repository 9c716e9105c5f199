import { defineTexts } from '../../shared/texts.ts';

export const overviewTexts = defineTexts({
  failedUnknown: ['неизвестно: Temporal недоступен', 'белгісіз: Temporal қолжетімсіз', 'unknown: Temporal is unavailable'],
  money: ['Деньги', 'Ақша', 'Money'],
  today: {
    paidIn: ['Пополнения сегодня', 'Бүгінгі толтырулар', 'Paid in today'],
    income: ['Оплата услуг сегодня', 'Бүгін төленген қызметтер', 'Paid for services today'],
    premium: ['Премии сегодня', 'Бүгінгі сыйлықақылар', 'Premiums today'],
    refunded: ['Возвраты сегодня', 'Бүгінгі қайтарулар', 'Refunded today'],
  },
  ever: {
    income: ['Доход от услуг, всего', 'Қызметтерден түскен кіріс, барлығы', 'Income of services, total'],
    premium: ['Страховые премии, всего', 'Сақтандыру сыйлықақылары, барлығы', 'Insurance premiums, total'],
    wallets: ['В кошельках', 'Әмияндарда', 'In wallets'],
  },
  states: ['Записи по состояниям', 'Жазбалар күйлері бойынша', 'Records by state'],
});
