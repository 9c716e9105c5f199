import { defineTexts } from '../../shared/texts.ts';

export const settlementTexts = defineTexts({
  late: ['Оплачен после срока', 'Мерзімнен кейін төленген', 'Paid after its expiry'],
  createdAt: ['Создан', 'Жасалды', 'Created'],
  expiresAt: ['Действует до', 'Жарамды мерзімі', 'Expires'],
  paidAt: ['Оплачен', 'Төленді', 'Paid'],
  bankReference: ['Номер в банке', 'Банктегі нөмірі', 'Reference of the bank'],
  askBank: ['Спросить банк', 'Банктен сұрау', 'Ask the bank'],
  asked: (status: string) => [
    `Ответ банка записан. Состояние счёта: ${status}`,
    `Банктің жауабы жазылды. Шот күйі: ${status}`,
    `The answer of the bank is recorded. Status of the invoice: ${status}`,
  ],
  incidents: {
    bank_mismatch: ['Банк сообщает о другом платеже', 'Банк басқа төлем туралы хабарлайды', 'The bank reports another payment'],
    late_payment: ['Оплата после срока счёта', 'Шот мерзімінен кейінгі төлем', 'Paid after the invoice expired'],
    mail_undeliverable: ['Письмо не доставляется', 'Хат жеткізілмейді', 'A mail cannot be delivered'],
  },
  resolved: ['Решён', 'Шешілді', 'Resolved'],
  resolution: ['Как решён', 'Қалай шешілді', 'How it was resolved'],
  correction: ['Операция', 'Операция', 'Transaction'],
  incidentHint: (id: number) => [
    `Если нужно двинуть деньги, сделайте исправление на странице человека и укажите инцидент ${id}: он закроется сам.`,
    `Ақша қозғау керек болса, адам бетінде түзету жасап, ${id} оқиғаны көрсетіңіз: ол өзі жабылады.`,
    `If money must move, make a correction on the person's page and name incident ${id}: this resolves it.`,
  ],
  details: {
    number: ['Номер', 'Нөмірі', 'Number'],
    amount_minor: ['Сумма', 'Сомасы', 'Amount'],
    fields: ['Расходятся', 'Сәйкес емес', 'Differ'],
    transaction_id: ['Операция', 'Операция', 'Transaction'],
  },
  message: ['Сообщение', 'Хабарлама', 'Message'],
  email: ['Эл. почта', 'Эл. пошта', 'E-mail'],
  answeredAt: ['Отвечено', 'Жауап берілді', 'Answered'],
  received: ['Получено', 'Алынды', 'Received'],
});
