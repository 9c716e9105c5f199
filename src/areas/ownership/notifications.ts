import { defineNotifications, words } from '../notifications/index.ts';

/** Texts for both owners of a transfer; they name neither the other account nor the reason (OWN-5). `side`: `new` or `old`. */
export const ownershipNotifications = defineNotifications({
  'profile.transferred': {
    en: (facts, id) =>
      facts.text('side') === 'new'
        ? words(
            'Profile received',
            `The federation has given the profile ${id} to your account, with its documents, applications and competitions.`,
            'The QR of an international licence shows no documents until you allow it.',
          )
        : words(
            'Profile transferred',
            `The federation has given your profile ${id} to another account, with its documents, applications and competitions.`,
            'Your wallet and your payments stay with you.',
          ),
    ru: (facts, id) =>
      facts.text('side') === 'new'
        ? words(
            'Профиль получен',
            `Федерация передала в Вашу учётную запись профиль № ${id} с его документами, заявками и соревнованиями.`,
            'Документы международных лицензий никому не показываются по QR-коду, пока Вы этого не разрешите.',
          )
        : words(
            'Профиль передан',
            `Федерация передала Ваш профиль № ${id} с его документами, заявками и соревнованиями в другую учётную запись.`,
            'Ваш кошелёк и Ваши платежи остаются у Вас.',
          ),
    kk: (facts, id) =>
      facts.text('side') === 'new'
        ? words(
            'Профиль алынды',
            `Федерация № ${id} профильді құжаттарымен, өтінімдерімен және жарыстарымен бірге Сіздің есептік жазбаңызға берді.`,
            'Халықаралық лицензиялардың құжаттары Сіз рұқсат бергенше QR-код бойынша ешкімге көрсетілмейді.',
          )
        : words(
            'Профиль берілді',
            `Федерация Сіздің № ${id} профиліңізді құжаттарымен, өтінімдерімен және жарыстарымен бірге басқа есептік жазбаға берді.`,
            'Әмияныңыз бен төлемдеріңіз Сізде қалады.',
          ),
  },
});
