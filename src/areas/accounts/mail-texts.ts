import type { Language } from '../../http/language.ts';

/** What happened to the second factor of an account; `left`: unused recovery codes. */
export type SecondFactorEvent = { at: Date } & (
  | { what: 'added' | 'removed' | 'removed_by_federation' }
  | { what: 'recovery_code_used'; left: number }
);

/** The texts of the mails about an account. `url` is the address of the registry. */
const ru = {
  recovery: {
    subject: 'Новый пароль для Вашей учётной записи',
    before: [
      'Кто-то, надеемся, что Вы, запросил новый пароль для Вашей учётной записи в реестре.',
      '',
      'Задайте его по этой ссылке в течение 30 минут; она действует один раз:',
    ],
    after: 'Если это были не Вы, ничего не делайте: пароль останется прежним.',
  },
  confirmation: {
    subject: 'Подтвердите адрес Вашей учётной записи',
    before: [
      'С этим адресом в реестре спортивной федерации открыта учётная запись.',
      '',
      'Подтвердите, что адрес Ваш, по этой ссылке в течение 24 часов; она действует один раз:',
    ],
    after: 'Если это были не Вы, ничего не делайте: без подтверждения уведомления на этот адрес не приходят.',
  },
  password: {
    subject: 'Пароль Вашей учётной записи изменён',
    changed: (when: string, how: 'password' | 'link') =>
      `Пароль Вашей учётной записи в реестре изменён ${how === 'link' ? 'по ссылке из письма для восстановления' : 'тем, кто знал прежний пароль'}: ${when}.`,
    sessions: {
      link: 'Все сеансы завершены.',
      password: 'Все сеансы, кроме того, в котором пароль изменили, завершены.',
    },
    keptKeys: (count: number) => `Ключи API, которые по просьбе остались в силе: ${count}.`,
    revokedKeys: (count: number) => `Отозванные ключи API: ${count}. Программам, которые ими пользовались, нужны новые.`,
    noKeys: 'Ключей API не было.',
    disabledWebhooks: (count: number) => `Отключённые вебхуки: ${count}. Проверьте адрес каждого, прежде чем включать его снова.`,
    notYou: 'Если это были не Вы, сразу запросите новый пароль и напишите в федерацию.',
  },
  apiKey: {
    subject: 'Новый ключ API Вашей учётной записи',
    made: (when: string) => `Для Вашей учётной записи в реестре создан ключ API: ${when}. Тот, у кого он есть, действует от Вашего имени.`,
    name: 'Название',
    scopes: 'Разрешения',
    until: 'Действует до',
    notYou: 'Если это были не Вы, сразу смените пароль: при этом отзываются все ключи.',
  },
  webhook: {
    subject: { created: 'Новый вебхук Вашей учётной записи', redirected: 'Новый адрес вебхука Вашей учётной записи' },
    created: (when: string) =>
      `Для Вашей учётной записи в реестре создан вебхук: ${when}. Сведения об изменениях отправляются по его адресу.`,
    redirected: (when: string) =>
      `Вебхук Вашей учётной записи в реестре получил новый адрес: ${when}. Сведения об изменениях отправляются туда.`,
    address: 'Адрес',
    notYou: 'Если это были не Вы, сразу смените пароль: при этом отключаются все вебхуки.',
  },
  access: {
    subjects: { blocked: 'Ваша учётная запись заблокирована', active: 'Ваша учётная запись снова открыта' },
    rightsChanged: 'Права Вашей учётной записи изменены',
    statuses: {
      blocked: (when: string) => `Федерация заблокировала Вашу учётную запись в реестре: ${when}. Её ключи API не принимаются.`,
      active: (when: string) => `Федерация снова открыла Вашу учётную запись в реестре: ${when}. Её ключи API снова действуют.`,
    },
    roles: {
      administrator: (when: string) => `Федерация сделала Вас администратором реестра: ${when}.`,
      user: (when: string) => `Федерация отозвала у Вашей учётной записи права администратора: ${when}.`,
    },
    sessions: 'Все сеансы завершены.',
    unexpected: 'Если Вы не знаете почему, напишите в федерацию.',
  },
  newNetwork: {
    subject: 'Вход в Вашу учётную запись из новой сети',
    loggedIn: (when: string) => `В Вашу учётную запись в реестре вошли с паролем из новой сети: ${when}.`,
    address: 'Адрес',
    sessions: 'Открытые сеансы перечислены в Вашей учётной записи и там же завершаются, по одному или все остальные сразу.',
    notYou: 'Если это были не Вы, сразу смените пароль: это завершит все остальные сеансы.',
  },
  secondFactor: {
    added: {
      subject: 'Вход в Вашу учётную запись теперь требует код',
      text: (when: string) => `Для Вашей учётной записи в реестре включён второй фактор: ${when}. Вход теперь требует код из приложения.`,
    },
    removed: {
      subject: 'Второй фактор Вашей учётной записи отключён',
      text: (when: string) => `Второй фактор Вашей учётной записи в реестре отключён: ${when}. Для входа снова достаточно пароля.`,
    },
    removed_by_federation: {
      subject: 'Второй фактор Вашей учётной записи отключён федерацией',
      text: (when: string) =>
        `Федерация отключила второй фактор Вашей учётной записи в реестре: ${when}. Все сеансы завершены; для входа снова достаточно пароля.`,
    },
    recovery_code_used: {
      subject: 'Использован резервный код Вашей учётной записи',
      text: (when: string, left: number) =>
        `Вместо кода из приложения использован резервный код: ${when}. Осталось резервных кодов: ${left}.`,
    },
    notYou: 'Если это были не Вы, сразу смените пароль и напишите в федерацию.',
  },
  contact: { subject: (id: number) => `Форма обратной связи: сообщение ${id}`, from: 'От' },
};

/** In each language of an account. */
export const mailTexts: Record<Language, typeof ru> = {
  ru,
  kk: {
    recovery: {
      subject: 'Есептік жазбаңызға жаңа құпиясөз',
      before: [
        'Біреу, Сіз деп үміттенеміз, тізілімдегі есептік жазбаңызға жаңа құпиясөз сұрады.',
        '',
        'Оны 30 минут ішінде мына сілтеме арқылы орнатыңыз; ол бір рет қана жарамды:',
      ],
      after: 'Егер бұл Сіз болмасаңыз, ештеңе істемеңіз: құпиясөз бұрынғыша қалады.',
    },
    confirmation: {
      subject: 'Есептік жазбаңыздың мекенжайын растаңыз',
      before: [
        'Спорт федерациясының тізілімінде осы мекенжаймен есептік жазба ашылды.',
        '',
        'Мекенжай Сіздікі екенін 24 сағат ішінде мына сілтеме арқылы растаңыз; ол бір рет қана жарамды:',
      ],
      after: 'Егер бұл Сіз болмасаңыз, ештеңе істемеңіз: расталмаған мекенжайға хабарландырулар келмейді.',
    },
    password: {
      subject: 'Есептік жазбаңыздың құпиясөзі өзгертілді',
      changed: (when, how) =>
        `Тізілімдегі есептік жазбаңыздың құпиясөзі ${how === 'link' ? 'қалпына келтіру хатындағы сілтеме арқылы өзгертілді' : 'бұрынғы құпиясөзді білетін адам тарапынан өзгертілді'}: ${when}.`,
      sessions: {
        link: 'Барлық сеанс аяқталды.',
        password: 'Құпиясөз өзгертілген сеанстан басқа барлық сеанс аяқталды.',
      },
      keptKeys: (count) => `Сұрау бойынша күшінде қалған API кілттері: ${count}.`,
      revokedKeys: (count) => `Күші жойылған API кілттері: ${count}. Оларды пайдаланған бағдарламаларға жаңа кілттер керек.`,
      noKeys: 'API кілттері болған жоқ.',
      disabledWebhooks: (count) => `Өшірілген вебхуктер: ${count}. Қайта қоспас бұрын әрқайсысының мекенжайын тексеріңіз.`,
      notYou: 'Егер бұл Сіз болмасаңыз, дереу жаңа құпиясөз сұраңыз және федерацияға жазыңыз.',
    },
    apiKey: {
      subject: 'Есептік жазбаңыздың жаңа API кілті',
      made: (when) => `Тізілімдегі есептік жазбаңыз үшін API кілті жасалды: ${when}. Кілті бар адам Сіздің атыңыздан әрекет етеді.`,
      name: 'Атауы',
      scopes: 'Рұқсаттары',
      until: 'Жарамдылық мерзімінің соңы',
      notYou: 'Егер бұл Сіз болмасаңыз, дереу құпиясөзді өзгертіңіз: сонда барлық кілттің күші жойылады.',
    },
    webhook: {
      subject: { created: 'Есептік жазбаңыздың жаңа вебхугі', redirected: 'Есептік жазбаңыздың вебхугінің жаңа мекенжайы' },
      created: (when) =>
        `Тізілімдегі есептік жазбаңыз үшін вебхук жасалды: ${when}. Өзгерістер туралы мәліметтер оның мекенжайына жіберіледі.`,
      redirected: (when) =>
        `Тізілімдегі есептік жазбаңыздың вебхугі жаңа мекенжай алды: ${when}. Өзгерістер туралы мәліметтер сонда жіберіледі.`,
      address: 'Мекенжай',
      notYou: 'Егер бұл Сіз болмасаңыз, дереу құпиясөзді өзгертіңіз: сонда барлық вебхук өшіріледі.',
    },
    access: {
      subjects: { blocked: 'Есептік жазбаңыз бұғатталды', active: 'Есептік жазбаңыз қайта ашылды' },
      rightsChanged: 'Есептік жазбаңыздың құқықтары өзгертілді',
      statuses: {
        blocked: (when) => `Федерация тізілімдегі есептік жазбаңызды бұғаттады: ${when}. Оның API кілттері қабылданбайды.`,
        active: (when) => `Федерация тізілімдегі есептік жазбаңызды қайта ашты: ${when}. Оның API кілттері қайтадан жарамды.`,
      },
      roles: {
        administrator: (when) => `Федерация Сізді тізілімнің әкімшісі етті: ${when}.`,
        user: (when) => `Федерация есептік жазбаңыздан әкімші құқықтарын алып қойды: ${when}.`,
      },
      sessions: 'Барлық сеанс аяқталды.',
      unexpected: 'Себебін білмесеңіз, федерацияға жазыңыз.',
    },
    newNetwork: {
      subject: 'Есептік жазбаңызға жаңа желіден кіру',
      loggedIn: (when) => `Тізілімдегі есептік жазбаңызға жаңа желіден құпиясөзбен кірді: ${when}.`,
      address: 'Мекенжай',
      sessions: 'Ашық сеанстар есептік жазбаңызда көрсетіледі және сонда біреуі немесе қалғандарының бәрі аяқталады.',
      notYou: 'Егер бұл Сіз болмасаңыз, дереу құпиясөзді өзгертіңіз: бұл қалған барлық сеансты аяқтайды.',
    },
    secondFactor: {
      added: {
        subject: 'Есептік жазбаңызға кіру үшін енді код керек',
        text: (when) => `Тізілімдегі есептік жазбаңызға екінші фактор қосылды: ${when}. Енді кіру үшін қолданбадағы код керек.`,
      },
      removed: {
        subject: 'Есептік жазбаңыздың екінші факторы өшірілді',
        text: (when) => `Тізілімдегі есептік жазбаңыздың екінші факторы өшірілді: ${when}. Кіру үшін қайтадан құпиясөз жеткілікті.`,
      },
      removed_by_federation: {
        subject: 'Есептік жазбаңыздың екінші факторын федерация өшірді',
        text: (when) =>
          `Федерация тізілімдегі есептік жазбаңыздың екінші факторын өшірді: ${when}. Барлық сеанс аяқталды; кіру үшін қайтадан құпиясөз жеткілікті.`,
      },
      recovery_code_used: {
        subject: 'Есептік жазбаңыздың қосалқы коды пайдаланылды',
        text: (when, left) => `Қолданбадағы кодтың орнына қосалқы код пайдаланылды: ${when}. Қалған қосалқы кодтар: ${left}.`,
      },
      notYou: 'Егер бұл Сіз болмасаңыз, дереу құпиясөзді өзгертіңіз және федерацияға жазыңыз.',
    },
    contact: { subject: (id) => `Кері байланыс нысаны: ${id}-хабарлама`, from: 'Кімнен' },
  },
  en: {
    recovery: {
      subject: 'A new password for your account',
      before: [
        'A new password was requested for your account in the registry.',
        '',
        'Set it with this link within 30 minutes. The link works once:',
      ],
      after: 'If you did not request it, do nothing: your password does not change.',
    },
    confirmation: {
      subject: 'Confirm the address of your account',
      before: [
        'An account was opened with this address in the registry of the sports federation.',
        '',
        'Confirm with this link within 24 hours that the address is yours. The link works once:',
      ],
      after: 'If you did not open it, do nothing: an address that is not confirmed gets no notifications.',
    },
    password: {
      subject: 'The password of your account was changed',
      changed: (when, how) =>
        `The password of your account in the registry was changed with ${how === 'link' ? 'the link of a recovery mail' : 'the former password'}: ${when}.`,
      sessions: { link: 'All sessions were ended.', password: 'All sessions were ended, except the one that changed the password.' },
      keptKeys: (count) => `API keys that remain valid, as requested: ${count}.`,
      revokedKeys: (count) => `Revoked API keys: ${count}. Programs that used them need new keys.`,
      noKeys: 'There were no API keys.',
      disabledWebhooks: (count) => `Disabled webhooks: ${count}. Check the address of each before you enable it again.`,
      notYou: 'If you did not change it, request a new password at once and contact the federation.',
    },
    apiKey: {
      subject: 'A new API key of your account',
      made: (when) => `An API key was created for your account in the registry: ${when}. Every program with this key acts for you.`,
      name: 'Name',
      scopes: 'Scopes',
      until: 'Valid until',
      notYou: 'If you did not create it, change your password at once: this revokes all keys.',
    },
    webhook: {
      subject: { created: 'A new webhook of your account', redirected: 'A new address for a webhook of your account' },
      created: (when) => `A webhook was created for your account in the registry: ${when}. News of changes is sent to its address.`,
      redirected: (when) => `A webhook of your account in the registry got a new address: ${when}. News of changes is sent there.`,
      address: 'Address',
      notYou: 'If it was not you, change your password at once: this disables all webhooks.',
    },
    access: {
      subjects: { blocked: 'Your account was blocked', active: 'Your account was unblocked' },
      rightsChanged: 'The rights of your account were changed',
      statuses: {
        blocked: (when) => `The federation blocked your account in the registry: ${when}. Its API keys are refused.`,
        active: (when) => `The federation unblocked your account in the registry: ${when}. Its API keys are valid again.`,
      },
      roles: {
        administrator: (when) => `The federation made you an administrator of the registry: ${when}.`,
        user: (when) => `The federation removed the administrator role from your account: ${when}.`,
      },
      sessions: 'All sessions were ended.',
      unexpected: 'If you do not know the reason, contact the federation.',
    },
    newNetwork: {
      subject: 'A login to your account from a new network',
      loggedIn: (when) => `A login with your password to your account in the registry came from a new network: ${when}.`,
      address: 'Address',
      sessions: 'Your account lists the open sessions and ends them, one or all others at once.',
      notYou: 'If it was not you, change your password at once: this ends all other sessions.',
    },
    secondFactor: {
      added: {
        subject: 'A login to your account now needs a code',
        text: (when) =>
          `A second factor was set up for your account in the registry: ${when}. A login now needs a code of the application.`,
      },
      removed: {
        subject: 'The second factor of your account was removed',
        text: (when) => `The second factor of your account in the registry was removed: ${when}. The password alone signs in again.`,
      },
      removed_by_federation: {
        subject: 'The federation removed the second factor of your account',
        text: (when) =>
          `The federation removed the second factor of your account in the registry: ${when}. All sessions were ended; the password alone signs in again.`,
      },
      recovery_code_used: {
        subject: 'A recovery code of your account was used',
        text: (when, left) => `A recovery code was used in place of a code of the application: ${when}. Recovery codes left: ${left}.`,
      },
      notYou: 'If it was not you, change your password at once and contact the federation.',
    },
    contact: { subject: (id) => `Contact form: message ${id}`, from: 'From' },
  },
};
