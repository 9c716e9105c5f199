import { defineTexts } from '../../shared/texts.ts';

export const catalogueTexts = defineTexts({
  drafts: [
    'Черновики пересчитаются, когда их изменят или подадут. У поданных и оплаченных заявок цена останется прежней.',
    'Жобалардың бағасы олар өзгертілгенде немесе берілгенде қайта есептеледі. Берілген және төленген өтінімдердің бағасы өзгермейді.',
    'Drafts are priced again when they are changed or submitted. Submitted and paid applications keep their price.',
  ],
  saved: ['Сохранено.', 'Сақталды.', 'Saved.'],
  services: ['Услуги', 'Қызметтер', 'Services'],
  fields: {
    title: ['Название', 'Атауы', 'Title'],
    category: ['Категория', 'Санаты', 'Category'],
    mrp: ['Цена, МРП', 'Бағасы, АЕК', 'Price, MRP'],
    cis_mrp: ['Доплата за СНГ, МРП', 'ТМД үшін үстеме, АЕК', 'CIS surcharge, MRP'],
    required_documents: ['Нужные документы', 'Қажет құжаттар', 'Required documents'],
    disciplines: ['Дисциплины', 'Пәндер', 'Disciplines'],
    insurance_coverage_mrp: ['Страховое покрытие, МРП', 'Сақтандыру сомасы, АЕК', 'Insurance coverage, MRP'],
    active: ['Действует', 'Қолданыста', 'Active'],
  },
  activeAbout: [
    'На недействующую услугу нельзя подать новую заявку; прежние заявки продолжаются.',
    'Қолданыста жоқ қызметке жаңа өтінім берілмейді; бұрынғы өтінімдер жалғасады.',
    'An inactive service takes no new applications; existing ones continue.',
  ],
  disciplinesAbout: [
    'Если выбраны, в заявке нужно указать одну из них.',
    'Таңдалса, өтінімде солардың бірін көрсету керек.',
    'If some are chosen, an application must name one of them.',
  ],
  documents: {
    identity: ['Удостоверение личности', 'Жеке басын растау', 'Document of identity'],
    minors: ['До 18 лет', '18 жасқа дейін', 'Under 18'],
    add: ['Добавить документ', 'Құжат қосу', 'Add a document'],
    remove: ['Убрать', 'Алып тастау', 'Remove'],
  },
  anyType: ['Подойдёт любой из выбранных видов.', 'Таңдалған түрлердің кез келгені жарайды.', 'Any of the chosen types will do.'],
  ofMinors: (name: string) => [`${name} (до 18 лет)`, `${name} (18 жасқа дейін)`, `${name} (under 18)`],
  changedMeanwhile: ['Другой администратор изменил:', 'Басқа әкімші өзгертті:', 'Another administrator changed:'],
  changed: (field: string, before: string, after: string) => [
    `${field}: было «${before}», стало «${after}»`,
    `${field}: бұрын «${before}», қазір «${after}»`,
    `${field}: it was "${before}", it is "${after}"`,
  ],
  keptMine: [
    'В форме теперь новые значения, кроме полей, которые изменили вы. Проверьте их и сохраните снова.',
    'Пішінде енді жаңа мәндер тұр, тек сіз өзгерткен өрістер өзіңіздікі. Тексеріп, қайта сақтаңыз.',
    'The form now has the new values, except in the fields that you changed. Check them and save again.',
  ],
  indexes: {
    title: ['МРП по годам', 'Жылдар бойынша АЕК', 'MRP by year'],
    add: ['Добавить год', 'Жыл қосу', 'Add a year'],
    year: ['Год', 'Жыл', 'Year'],
    amount: ['МРП, тенге', 'АЕК, теңге', 'MRP, tenge'],
    inUse: ['Использован', 'Қолданылған', 'In use'],
  },
  indexesAbout: [
    'Год без своего показателя берёт последний из прежних. Показатель, по которому выданы суммы, изменить нельзя.',
    'Өз көрсеткіші жоқ жыл алдыңғыларының соңғысын алады. Сомалар берілген көрсеткішті өзгертуге болмайды.',
    'A year without its own index takes the newest earlier one. An index that issued amounts use cannot be changed.',
  ],
  templates: {
    title: ['Шаблоны договоров', 'Шарт үлгілері', 'Agreement templates'],
    add: ['Новый шаблон', 'Жаңа үлгі', 'New template'],
    version: ['Версия', 'Нұсқасы', 'Version'],
    isDefault: ['Основной', 'Негізгі', 'Default'],
    at: ['Изменён', 'Өзгертілді', 'Changed'],
    body: ['Текст', 'Мәтіні', 'Text'],
  },
  bodyAbout: [
    'Пустая строка начинает абзац. «# » в начале строки – заголовок, «## » – меньший. Подстановки вставляются на место курсора:',
    'Бос жол жаңа абзац бастайды. Жол басындағы «# » – тақырып, «## » – кішірек тақырып. Айнымалылар меңзер тұрған жерге қойылады:',
    'An empty line begins a paragraph. "# " begins a heading, "## " a smaller one. Variables go where the cursor is:',
  ],
  newVersion: [
    'Каждое изменение – новая версия. Готовые договоры остаются на своей.',
    'Әр өзгеріс – жаңа нұсқа. Дайын шарттар өз нұсқасында қалады.',
    'Each change is a new version. Existing agreements keep theirs.',
  ],
});
