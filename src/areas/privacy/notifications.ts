import { after, defineNotifications, words } from '../notifications/index.ts';

/** Notifications about the data of an account (PRV-2, PRV-4). */
export const privacyNotifications = defineNotifications({
  'account_export.made': {
    en: () =>
      words('Your data are ready', 'The archive of the data of your account is ready. Download it within seven days; then it is deleted.'),
    ru: () => words('Ваши данные готовы', 'Архив с данными вашего аккаунта готов. Скачайте его в течение семи дней, потом он удаляется.'),
    kk: () =>
      words('Деректеріңіз дайын', 'Аккаунтыңыздың деректері бар мұрағат дайын. Оны жеті күн ішінде жүктеп алыңыз, кейін ол жойылады.'),
  },
  'account_erasure.requested': {
    en: (facts) =>
      words(
        'Your account will be erased',
        after('The erasure of your account was requested. It is erased on ', facts.moment('at'), '.'),
        'Until then you can withdraw the request. If you did not ask for it, withdraw it and change your password.',
      ),
    ru: (facts) =>
      words(
        'Ваш аккаунт будет удалён',
        after('Запрошено удаление вашего аккаунта. Он будет удалён ', facts.moment('at'), '.'),
        'До этого запрос можно отозвать. Если вы его не подавали, отзовите его и смените пароль.',
      ),
    kk: (facts) =>
      words(
        'Аккаунтыңыз жойылады',
        after('Аккаунтыңызды жою сұралды. Жойылатын уақыты: ', facts.moment('at'), '.'),
        'Оған дейін сұрауды қайтарып алуға болады. Оны сіз бермесеңіз, қайтарып алып, құпиясөзді өзгертіңіз.',
      ),
  },
  'account_erasure.reminder': {
    en: (facts) =>
      words(
        'Your account will soon be erased',
        after('Your account is erased on ', facts.moment('at'), '.'),
        'Take your data along before, or withdraw the request.',
      ),
    ru: (facts) =>
      words(
        'Ваш аккаунт скоро будет удалён',
        after('Ваш аккаунт будет удалён ', facts.moment('at'), '.'),
        'До этого скачайте свои данные или отзовите запрос.',
      ),
    kk: (facts) =>
      words(
        'Аккаунтыңыз жақында жойылады',
        after('Аккаунтыңыз жойылатын уақыты: ', facts.moment('at'), '.'),
        'Оған дейін деректеріңізді жүктеп алыңыз немесе сұрауды қайтарып алыңыз.',
      ),
  },
  'account_erasure.blocked': {
    en: () =>
      words(
        'Your account cannot be erased yet',
        'Something still prevents the erasure of your account. See what it is and end it; the erasure is tried again each day.',
      ),
    ru: () =>
      words(
        'Ваш аккаунт пока нельзя удалить',
        'Что-то ещё мешает удалению вашего аккаунта. Посмотрите, что именно, и завершите это; удаление повторяется каждый день.',
      ),
    kk: () =>
      words(
        'Аккаунтыңызды әзірге жоюға болмайды',
        'Аккаунтыңызды жоюға әлі бір нәрсе кедергі. Оның не екенін қарап, аяқтаңыз; жою күн сайын қайталанады.',
      ),
  },
  'account_erasure.withdrawn': {
    en: () => words('Your account stays', 'The erasure of your account was withdrawn.'),
    ru: () => words('Ваш аккаунт остаётся', 'Запрос на удаление вашего аккаунта отозван.'),
    kk: () => words('Аккаунтыңыз қалады', 'Аккаунтыңызды жою сұрауы қайтарып алынды.'),
  },
});
