import { defineTexts } from '../../shared/texts.ts';

export const athletesTexts = defineTexts({
  name: ['Имя', 'Аты', 'Name'],
  status: ['Профиль', 'Профиль', 'Profile'],
  photo: ['Фото', 'Фото', 'Photo'],
  certificate: ['Сертификат года', 'Жыл сертификаты', 'Certificate of the year'],
  certificates: {
    issued: ['Выдан', 'Берілді', 'Issued'],
    pending: ['Заявка на рассмотрении', 'Өтінім қаралуда', 'Application in review'],
    not_issued: ['Не выдан', 'Берілмеді', 'Not issued'],
  },
  until: ['Действует до', 'Жарамдылық мерзімі', 'Valid until'],
  application: ['Последняя заявка', 'Соңғы өтінім', 'Last application'],
  city: ['Город', 'Қала', 'City'],
  phone: ['Телефон', 'Телефон', 'Phone'],
  owner: ['Владелец', 'Иесі', 'Owner'],
  save: (format: string) => [`Скачать ${format}`, `${format} жүктеу`, `Download ${format}`],
  empty: ['Никого не нашлось. Проверьте запрос.', 'Ешкім табылмады. Сұрауды тексеріңіз.', 'No athlete was found. Check the search.'],
});
