import { defineTexts } from '../../shared/texts.ts';

export const catalogueTexts = defineTexts({
  drafts: ['Новая цена действует только для черновиков.', 'Жаңа баға тек жобаларға қолданылады.', 'A new price applies to drafts only.'],
  saved: ['Сохранено', 'Сақталды', 'Saved'],
  services: ['Услуги', 'Қызметтер', 'Services'],
  fields: {
    title: ['Название', 'Атауы', 'Title'],
    category: ['Категория', 'Санаты', 'Category'],
    mrp: ['Цена, МРП', 'Бағасы, АЕК', 'Price, MRP'],
    cis_mrp: ['Доплата за СНГ, МРП', 'ТМД үшін үстеме, АЕК', 'CIS surcharge, MRP'],
    insurance_coverage_mrp: ['Страховое покрытие, МРП', 'Сақтандыру сомасы, АЕК', 'Insurance coverage, MRP'],
    everyone: ['Нужные документы', 'Қажет құжаттар', 'Required documents'],
    minors: ['Нужны до 18 лет', '18 жасқа дейін қажет', 'Required under 18'],
    disciplines: ['Дисциплины', 'Пәндер', 'Disciplines'],
    active: ['Действует', 'Қолданыста', 'Active'],
  },
  identity: ['Удостоверение или паспорт', 'Жеке куәлік не паспорт', 'Identity card or passport'],
  activeAbout: ['Иначе новых заявок не будет.', 'Әйтпесе жаңа өтінім берілмейді.', 'Otherwise it takes no new applications.'],
  disciplinesAbout: ['В заявке указывают одну из них.', 'Өтінімде солардың бірі көрсетіледі.', 'An application names one of them.'],
  indexes: {
    title: ['МРП по годам', 'Жылдар бойынша АЕК', 'MRP by year'],
    add: ['Добавить год', 'Жыл қосу', 'Add a year'],
    year: ['Год', 'Жыл', 'Year'],
    amount: ['МРП, тенге', 'АЕК, теңге', 'MRP, tenge'],
    inUse: ['Использован', 'Қолданылған', 'In use'],
    about: ['Действует до следующего указанного года.', 'Келесі көрсетілген жылға дейін күшінде.', 'In force until the next year given.'],
  },
  templates: {
    title: ['Шаблоны договоров', 'Шарт үлгілері', 'Agreement templates'],
    add: ['Новый шаблон', 'Жаңа үлгі', 'New template'],
    version: ['Версия', 'Нұсқасы', 'Version'],
    isDefault: ['Основной', 'Негізгі', 'Default'],
    at: ['Изменён', 'Өзгертілді', 'Changed'],
    body: ['Текст', 'Мәтіні', 'Text'],
    variables: ['Заголовки: «# », «## ». Подстановки:', 'Тақырыптар: «# », «## ». Айнымалылар:', 'Headings: "# ", "## ". Variables:'],
    newVersion: ['Готовые договоры не изменятся.', 'Дайын шарттар өзгермейді.', 'Existing agreements do not change.'],
  },
});
