import { defineTexts } from '../../shared/texts.ts';

export const auditTexts = defineTexts({
  filters: {
    actor: ['Номер учётной записи', 'Есептік жазба нөмірі', 'Account number'],
    subject: ['Запись или её вид', 'Жазба немесе оның түрі', 'Record or its kind'],
    category: ['Что показать', 'Не көрсету керек', 'Show'],
    from: ['С дня', 'Күннен', 'From day'],
    to: ['По день', 'Күнге дейін', 'To day'],
  },
  clear: ['Убрать фильтры', 'Сүзгілерді алып тастау', 'Remove filters'],
  categories: {
    action: ['Действия', 'Әрекеттер', 'Actions'],
    security: ['Отказы и попытки', 'Бас тартулар мен әрекеттенулер', 'Refusals and attempts'],
  },
  columns: {
    record: ['Запись', 'Жазба', 'Record'],
    data: ['Подробности', 'Толығырақ', 'Details'],
    ip: ['IP-адрес', 'IP мекенжайы', 'IP address'],
  },
  actingFor: ['от имени:', 'кімнің атынан:', 'acting for:'],
  nobody: ['реестр или гость', 'тізілім немесе қонақ', 'the registry or a guest'],
  sameRequest: ['Все события запроса', 'Сұраудың барлық оқиғалары', 'All events of the request'],
  empty: [
    'Таких событий нет. Уберите часть фильтров или возьмите больше дней.',
    'Мұндай оқиғалар жоқ. Сүзгілердің бір бөлігін алып тастаңыз немесе күндерді көбейтіңіз.',
    'There are no such events. Remove some filters or choose more days.',
  ],
  download: (format: string) => [`Скачать ${format}`, `${format} жүктеп алу`, `Download ${format}`],
});
