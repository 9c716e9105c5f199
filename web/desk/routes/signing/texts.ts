import { defineTexts } from '../../shared/texts.ts';

export const signingTexts = defineTexts({
  about: ['Готовые договоры не изменятся.', 'Дайын шарттар өзгермейді.', 'Existing agreements do not change.'],
  unset: ['Без подписания договоры не составить.', 'Қол қоюсыз шарт жасалмайды.', 'No agreement can be made without it.'],
  saved: ['Подписание сохранено.', 'Қол қою сақталды.', 'The signing is saved.'],
  signer: {
    signer_name: ['ФИО подписанта', 'Қол қоюшының аты-жөні', 'Full name of the signer'],
    signer_position: ['Должность', 'Лауазымы', 'Position'],
  },
  marks: {
    signature: ['Подпись', 'Қолтаңба', 'Signature'],
    stamp: ['Печать', 'Мөр', 'Stamp'],
  },
  upload: (mark: string) => [`Загрузить: ${mark}`, `Жүктеу: ${mark}`, `Upload: ${mark}`],
  image: ['PNG или WebP с прозрачным фоном.', 'Фоны мөлдір PNG немесе WebP.', 'PNG or WebP with a transparent background.'],
  place: {
    x: ['Слева, мм', 'Сол жақтан, мм', 'From the left, mm'],
    y: ['Сверху, мм', 'Жоғарыдан, мм', 'From the top, mm'],
    scale: ['Масштаб', 'Масштаб', 'Scale'],
  },
  page: ['Последняя страница договора', 'Шарттың соңғы беті', 'Last page of the agreement'],
  drag: ['Перетащите их мышью или введите числа.', 'Тінтуірмен сүйреңіз не сан енгізіңіз.', 'Drag them, or enter numbers.'],
  problems: {
    not_transparent: ['Нужен прозрачный фон.', 'Мөлдір фон керек.', 'A transparent background is needed.'],
    not_visible: ['На бумаге не будет видно.', 'Қағазда көрінбейді.', 'It would not be seen on paper.'],
    outside_page: ['Выходит за край страницы. Передвиньте.', 'Беттен шығып тұр. Жылжытыңыз.', 'It leaves the page. Move it.'],
    wrong_file_type: ['Подойдёт только PNG или WebP.', 'Тек PNG немесе WebP жарайды.', 'Only PNG and WebP will do.'],
    image_too_large: ['Можно до 16 млн пикселей.', '16 млн пиксельден аспасын.', 'At most 16 million pixels.'],
  },
});
