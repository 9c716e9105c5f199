import { defineTexts } from '../../shared/texts.ts';

export const peopleTexts = defineTexts({
  search: ['Имя, почта, телефон, номер', 'Аты, пошта, телефон, нөмір', 'Name, e-mail, phone, number'],
  name: ['Имя', 'Аты', 'Name'],
  phone: ['Телефон', 'Телефон', 'Phone'],
  role: ['Роль', 'Рөлі', 'Role'],
  roles: {
    user: ['Пользователь', 'Пайдаланушы', 'User'],
    administrator: ['Администратор', 'Әкімші', 'Administrator'],
  },
  status: ['Статус', 'Күйі', 'Status'],
  seen: ['Последняя активность', 'Соңғы белсенділігі', 'Last seen'],
  created: ['Создана', 'Жасалған күні', 'Created'],
  empty: [
    'Таких учётных записей нет. Проверьте написание или снимите фильтры.',
    'Мұндай есептік жазба жоқ. Жазылуын тексеріңіз немесе сүзгілерді алып тастаңыз.',
    'There are no such accounts. Check the spelling, or remove the filters.',
  ],
});
