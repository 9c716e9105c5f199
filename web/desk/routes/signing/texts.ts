import { defineTexts } from '../../shared/texts.ts';

export const signingTexts = defineTexts({
  about: [
    'Эти данные и изображения попадут в новые договоры. Готовые договоры не изменятся.',
    'Бұл деректер мен суреттер жаңа шарттарға түседі. Дайын шарттар өзгермейді.',
    'New agreements get these data and images. Existing agreements do not change.',
  ],
  unset: [
    'Подписание ещё не задано: без него договоры не составить.',
    'Қол қою әлі орнатылмаған: онсыз шарт жасалмайды.',
    'The signing is not set yet: no agreement can be made without it.',
  ],
  saved: [
    'Подписание сохранено. Оно действует для новых договоров.',
    'Қол қою сақталды. Ол жаңа шарттарға қолданылады.',
    'The signing is saved. It applies to new agreements.',
  ],
  signer: {
    name: ['ФИО подписанта', 'Қол қоюшының аты-жөні', 'Full name of the signer'],
    position: ['Должность', 'Лауазымы', 'Position'],
  },
  marks: {
    signature: ['Подпись', 'Қолтаңба', 'Signature'],
    stamp: ['Печать', 'Мөр', 'Stamp'],
  },
  upload: {
    signature: ['Загрузить подпись', 'Қолтаңбаны жүктеу', 'Upload the signature'],
    stamp: ['Загрузить печать', 'Мөрді жүктеу', 'Upload the stamp'],
  },
  image: ['PNG или WebP с прозрачным фоном.', 'Фоны мөлдір PNG немесе WebP.', 'PNG or WebP with a transparent background.'],
  place: {
    x: ['Слева, мм', 'Сол жақтан, мм', 'From the left, mm'],
    y: ['Сверху, мм', 'Жоғарыдан, мм', 'From the top, mm'],
    scale: ['Масштаб', 'Масштаб', 'Scale'],
  },
  placed: (mark: string, x: string, y: string) => [
    `${mark}: ${x} мм слева, ${y} мм сверху`,
    `${mark}: сол жақтан ${x} мм, жоғарыдан ${y} мм`,
    `${mark}: ${x} mm from the left, ${y} mm from the top`,
  ],
  page: ['Последняя страница договора', 'Шарттың соңғы беті', 'Last page of the agreement'],
  keys: [
    'Перетащите подпись и печать на их места. Стрелки двигают выбранную на 1 мм, с Shift на 10 мм.',
    'Қолтаңба мен мөрді орнына сүйреңіз. Бағыттауыш пернелер таңдалғанын 1 мм-ге, Shift-пен 10 мм-ге жылжытады.',
    'Drag the signature and the stamp to their places. Arrow keys move the focused one by 1 mm, with Shift by 10 mm.',
  ],
  problems: {
    not_transparent: [
      'Фон изображения непрозрачный. Нужен PNG или WebP с прозрачным фоном.',
      'Суреттің фоны мөлдір емес. Фоны мөлдір PNG немесе WebP керек.',
      'The image has no transparent background. A PNG or WebP with one is needed.',
    ],
    not_visible: [
      'Изображение почти пустое: на бумаге его не будет видно. Загрузите другое.',
      'Сурет бос дерлік: қағазда көрінбейді. Басқасын жүктеңіз.',
      'The image is almost empty: it would not be seen on paper. Upload another one.',
    ],
    outside_page: [
      'Подпись или печать выходит за край страницы. Передвиньте или уменьшите её.',
      'Қолтаңба немесе мөр беттің шетінен шығып тұр. Жылжытыңыз немесе кішірейтіңіз.',
      'The signature or the stamp leaves the page. Move it or make it smaller.',
    ],
    wrong_file_type: [
      'Подойдёт только PNG или WebP. Загрузите другое изображение.',
      'Тек PNG немесе WebP жарайды. Басқа сурет жүктеңіз.',
      'Only PNG and WebP will do. Upload another image.',
    ],
    image_too_large: [
      'Изображение слишком большое: можно не больше 16 млн пикселей.',
      'Сурет тым үлкен: 16 млн пиксельден аспауы керек.',
      'The image is too large: at most 16 million pixels.',
    ],
  },
});
