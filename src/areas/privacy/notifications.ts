import { defineNotifications, words } from '../notifications/index.ts';

/** Notifications about the data of an account (PRV-2). */
export const privacyNotifications = defineNotifications({
  'account_export.made': {
    en: () =>
      words('Your data are ready', 'The archive of the data of your account is ready. Download it within seven days; then it is deleted.'),
    ru: () => words('Ваши данные готовы', 'Архив с данными вашего аккаунта готов. Скачайте его в течение семи дней, потом он удаляется.'),
    kk: () =>
      words('Деректеріңіз дайын', 'Аккаунтыңыздың деректері бар мұрағат дайын. Оны жеті күн ішінде жүктеп алыңыз, кейін ол жойылады.'),
  },
});
