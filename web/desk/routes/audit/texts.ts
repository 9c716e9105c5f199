import { defineTexts } from '../../shared/texts.ts';

export const auditTexts = defineTexts({
  actor: ['Номер учётной записи', 'Есептік жазба нөмірі', 'Account number'],
  subject: ['Запись или её вид', 'Жазба немесе оның түрі', 'Record or its kind'],
  from: ['С дня', 'Күннен', 'From day'],
  to: ['По день', 'Күнге дейін', 'To day'],
  category: ['Что показать', 'Не көрсету керек', 'Show'],
  categories: {
    action: ['Действия', 'Әрекеттер', 'Actions'],
    security: ['Отказы и попытки', 'Бас тартулар мен әрекеттенулер', 'Refusals and attempts'],
  },
  record: ['Запись', 'Жазба', 'Record'],
  data: ['Подробности', 'Толығырақ', 'Details'],
  ip: ['IP-адрес', 'IP мекенжайы', 'IP address'],
  actingFor: ['от имени:', 'кімнің атынан:', 'acting for:'],
  noAccount: ['реестр или гость', 'тізілім немесе қонақ', 'the registry or a guest'],
  empty: ['Событий нет. Измените фильтры.', 'Оқиғалар жоқ. Сүзгілерді өзгертіңіз.', 'There are no such events. Change the filters.'],
  download: (format: string) => [`Скачать ${format}`, `${format} жүктеп алу`, `Download ${format}`],
});
