import { defineTexts } from '../../../shared/texts.ts';

export const erasureTexts = defineTexts({
  requested: ['Запрошено', 'Сұралды', 'Requested'],
  due: ['Будет удалён', 'Жойылады', 'To be erased'],
  erased: ['Удалён', 'Жойылды', 'Erased'],
  start: ['Начать удаление', 'Жоюды бастау', 'Start the erasure'],
  about: ['По письменной просьбе. Владелец получит уведомление и сможет отозвать её до срока.', 'Жазбаша өтініш бойынша. Иесіне хабарланады, ол мерзімге дейін кері ала алады.', 'For a request on paper. The owner is notified, and can withdraw it until it is due.'],
  withdraw: ['Отозвать удаление', 'Жоюды кері алу', 'Withdraw the erasure'],
  blocked: ['Сейчас удалить нельзя', 'Қазір жоюға болмайды', 'The erasure is not possible now'],
  blockers: {
    money_in_wallet: ['В кошельке есть деньги', 'Әмиянда ақша бар', 'There is money in the wallet'],
    open_invoice: ['Счёт не закрыт', 'Шот жабылмаған', 'An invoice is open'],
    open_application: ['Заявка не завершена', 'Өтінім аяқталмаған', 'An application is under way'],
    open_registration: ['Регистрация не завершена', 'Тіркелу аяқталмаған', 'A registration is under way'],
    event_to_come: ['Соревнование не прошло', 'Жарыс өтпеген', 'A competition is to come'],
    agreement_in_force: ['Договор действует', 'Шарт күшінде', 'An agreement is in force'],
    last_administrator: ['Это последний администратор', 'Бұл соңғы әкімші', 'This is the last administrator'],
  },
  goes: ['Стирается', 'Өшіріледі', 'Goes'],
  stays: {
    numbers: ['Остаётся без имени: на записи ссылаются по номеру', 'Атаусыз қалады: жазбаларға нөмірімен сілтеме бар', 'Stays without the person: named by number'],
    money: ['Остаётся без имени: записи называет бухгалтерия', 'Атаусыз қалады: жазбаларды есеп атайды', 'Stays without the person: named by the ledger'],
    certificates: ['Остаётся без имени: по записям проверяют сертификаты', 'Атаусыз қалады: сертификаттар тексеріледі', 'Stays without the person: verifies certificates'],
    agreements: ['Остаётся целиком: договоры', 'Толық қалады: шарттар', 'Stays whole: agreements'],
    results: ['Остаётся без имени: результаты соревнований', 'Атаусыз қалады: жарыс нәтижелері', 'Stays without the person: results of competitions'],
    audit: ['Остаётся без имени: аудит называет номер', 'Атаусыз қалады: аудит нөмірді атайды', 'Stays without the person: the audit names the number'],
  },
  until: (day: string) => [`до ${day}`, `${day} дейін`, `until ${day}`],
  kinds: {
    session: ['Сеанс', 'Сеанс', 'Session'],
    notification: ['Уведомление', 'Хабарландыру', 'Notification'],
    message: ['Сообщение', 'Хабарлама', 'Message'],
    file_content: ['Содержимое файла', 'Файл мазмұны', 'Content of a file'],
    certificate: ['Сертификат', 'Сертификат', 'Certificate'],
    participant: ['Участник', 'Қатысушы', 'Participant'],
  },
  others: ['Прочее', 'Басқа', 'Other records'],
});
