import { defineTexts } from './texts.ts';

export const paperTexts = defineTexts({
  smaller: ['Мельче', 'Кішірейту', 'Zoom out'],
  larger: ['Крупнее', 'Үлкейту', 'Zoom in'],
  fit: ['По ширине', 'Ені бойынша', 'Fit to width'],
  turn: ['Повернуть на 90°', '90° бұру', 'Rotate by 90°'],
  openTab: ['Открыть в новой вкладке', 'Жаңа қойындыда ашу', 'Open in a new tab'],
  save: ['Сохранить файл', 'Файлды сақтау', 'Save the file'],
  previous: ['Предыдущая страница', 'Алдыңғы бет', 'Previous page'],
  next: ['Следующая страница', 'Келесі бет', 'Next page'],
  page: ['Страница', 'Бет', 'Page'],
  of: (count: number) => [`из ${count}`, `барлығы ${count}`, `of ${count}`],
  unreadable: ['Файл нельзя показать здесь полностью. Сохраните его и откройте другой программой.', 'Файлды мұнда толық көрсету мүмкін емес. Оны сақтап, басқа бағдарламамен ашыңыз.', 'The file cannot be shown here completely. Save it, and open it with another program.'],
});
