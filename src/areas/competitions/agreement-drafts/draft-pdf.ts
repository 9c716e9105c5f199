import type { Content, TableCell } from 'pdfmake/interfaces.js';
import type { LocalizedText } from '../../../http/language.ts';
import { formatDay } from '../../../platform/time/date-time.ts';
import { defineDrawnDocument } from '../../../platform/pdf/drawing.ts';
import { a4, factsTable, grey, ink, line, navy } from '../../../platform/pdf/page-style.ts';
import type { Brand } from '../../../platform/brand/brand.ts';
import type { PdfDefinition } from '../../../platform/pdf/render-pdf.ts';

/** Facts of an agreement draft; the same facts give the same bytes. */
export interface AgreementDraft {
  brand: Brand;
  eventId: number;
  /** When the event was created; also the date of the PDF. */
  createdAt: Date;
  title: string;
  location: string;
  discipline: LocalizedText;
  /** `YYYY-MM-DD`, UTC+5. */
  firstDay: string;
  lastDay: string;
  reserveDay: string | null;
  organizer: {
    name: string;
    bin: string | null;
    directorName: string;
    directorPosition: string;
    address: string;
    phone: string;
    email: string;
  };
}

/** Points. */
const margins = { side: 54, top: 40, bottom: 46 };
/** Fixed columns break a word that is too wide; `*` columns would grow beyond the page. */
const textWidth = a4.width - 2 * margins.side;
const [labelColumn, gap] = [170, 24];
/** The table pads each cell by 8. */
const valueColumn = textWidth - labelColumn - 16;
const sideColumn = (textWidth - gap) / 2;

/** The draft's document for the drawing thread. */
export const agreementDraftDocument = defineDrawnDocument(import.meta.url, describeAgreementDraft);

/** Describes the agreement draft of an event in Kazakh and Russian; both sides sign it by hand (EVT-18). */
export function describeAgreementDraft(draft: AgreementDraft): PdfDefinition {
  return {
    title: `Agreement draft, event ${draft.eventId}`,
    author: draft.brand.name.en,
    subject: 'Draft of the agreement on holding a competition',
    createdAt: draft.createdAt,
    pageSize: 'A4',
    pageMargins: [margins.side, margins.top, margins.side, margins.bottom],
    defaultStyle: { fontSize: 9.5, color: ink, lineHeight: 1.08 },
    footer: (page: number, pages: number) => describeFooter(draft, page, pages),
    content: [
      line('ЖОБА · ПРОЕКТ · DRAFT', { fontSize: 8, color: grey, alignment: 'right', margin: [0, 0, 0, 6] }),
      line('ЖАРЫС ӨТКІЗУ ТУРАЛЫ КЕЛІСІМ', { fontSize: 16, bold: true, color: navy, alignment: 'center' }),
      line('СОГЛАШЕНИЕ О ПРОВЕДЕНИИ СОРЕВНОВАНИЯ', { fontSize: 12, color: navy, alignment: 'center', margin: [0, 3, 0, 10] }),
      describeDate(),
      describeParties(draft),
      heading('1. Жарыс', 'Соревнование'),
      describeEvent(draft),
      ...clauses.flatMap(describeClause),
      describeSignatures(draft),
    ],
  };
}

/** Leaves the place and the day blank; the signers write them in. */
function describeDate(): Content {
  return {
    columns: [
      { width: '*', text: '____________________ қ. / г.' },
      { width: 'auto', text: '«____» ________________ 20____ ж. / г.' },
    ],
    margin: [0, 0, 0, 10],
  };
}

function describeParties({ organizer, brand: { name: federation } }: AgreementDraft): Content {
  const bin = organizer.bin === null ? '' : ` (БСН / БИН ${organizer.bin})`;
  const name = `${organizer.name}${bin}`;
  const director = `${organizer.directorPosition} ${organizer.directorName}`;
  return {
    stack: [
      {
        text: `Бір тараптан ${federation.kk} (бұдан әрі – Федерация) және екінші тараптан ${name}, атынан ${director} әрекет етеді (бұдан әрі – Ұйымдастырушы), осы келісімді жасасты.`,
      },
      {
        text: `${federation.ru} (далее – Федерация), с одной стороны, и ${name}, в лице: ${director} (далее – Организатор), с другой стороны, заключили настоящее соглашение.`,
        color: grey,
        margin: [0, 4, 0, 0],
      },
    ],
  };
}

function describeEvent(draft: AgreementDraft): Content {
  const days = draft.firstDay === draft.lastDay ? formatDay(draft.firstDay) : `${formatDay(draft.firstDay)} – ${formatDay(draft.lastDay)}`;
  const rows: TableCell[][] = [
    row('Атауы', 'Название', draft.title),
    row('Пәні', 'Дисциплина', [...new Set([draft.discipline.kk, draft.discipline.ru])].join(' · ')),
    row('Өтетін орны', 'Место проведения', draft.location),
    row('Өтетін күндері', 'Даты проведения', days),
    ...(draft.reserveDay === null ? [] : [row('Резервтік күн', 'Резервный день', formatDay(draft.reserveDay))]),
    row('Тіркеу нөмірі', 'Номер в реестре', String(draft.eventId)),
  ];
  return factsTable(rows, [labelColumn, valueColumn], 3);
}

interface Clause {
  kk: string;
  ru: string;
  paragraphs: readonly { kk: string; ru: string }[];
}

const clauses: readonly Clause[] = [
  {
    kk: '2. Ұйымдастырушының міндеттері',
    ru: 'Обязанности организатора',
    paragraphs: [
      {
        kk: 'Жарысты Федерация бекіткен ережелер мен регламентке сәйкес өткізеді және қатысушылардың, төрешілердің және көрермендердің қауіпсіздігін қамтамасыз етеді.',
        ru: 'Проводит соревнование по правилам и регламенту, утверждённым Федерацией, и обеспечивает безопасность участников, судей и зрителей.',
      },
      {
        kk: 'Жарыстың барлық күндерінде жарамды сертификаты немесе лицензиясы бар спортшыларды ғана қатыстырады.',
        ru: 'Допускает только спортсменов, чей сертификат или лицензия действительны во все дни соревнования.',
      },
      {
        kk: 'Жарыс аяқталғаннан кейін жеті күн ішінде қорытынды хаттаманы Федерацияға тапсырады.',
        ru: 'Представляет Федерации итоговый протокол в течение семи дней после окончания соревнования.',
      },
    ],
  },
  {
    kk: '3. Федерацияның міндеттері',
    ru: 'Обязанности Федерации',
    paragraphs: [
      {
        kk: 'Жарыс құжаттарын қарайды, жарысты күнтізбеге енгізеді және бекітілген нәтижелерді жариялайды.',
        ru: 'Рассматривает документы соревнования, включает его в календарь и публикует утверждённые результаты.',
      },
    ],
  },
  {
    kk: '4. Қорытынды ережелер',
    ru: 'Заключительные положения',
    paragraphs: [
      {
        kk: 'Келісім екі тарап қол қойған күннен бастап күшіне енеді және тараптар міндеттерін толық орындағанға дейін қолданылады. Заңдық күші бірдей екі данада жасалды.',
        ru: 'Соглашение вступает в силу со дня подписания обеими сторонами и действует до полного исполнения ими обязательств. Составлено в двух экземплярах равной юридической силы.',
      },
    ],
  },
];

/** Keeps a heading on one page with the paragraph below it. */
function describeClause({ kk, ru, paragraphs }: Clause): Content[] {
  return paragraphs.map((paragraph, index): Content => ({
    stack: [
      ...(index === 0 ? [heading(kk, ru)] : []),
      { text: `${kk.slice(0, 1)}.${index + 1}. ${paragraph.kk}` },
      { text: paragraph.ru, fontSize: 8.5, color: grey, margin: [0, 1, 0, 4] },
    ],
    unbreakable: true,
  }));
}

/** Keeps the signature block on one page. */
function describeSignatures({ organizer, brand: { name: federation } }: AgreementDraft): Content {
  const facts = [
    organizer.name,
    ...(organizer.bin === null ? [] : [`БСН / БИН ${organizer.bin}`]),
    organizer.address,
    organizer.phone,
    organizer.email,
  ];
  return {
    unbreakable: true,
    margin: [0, 12, 0, 0],
    columns: [
      {
        width: sideColumn,
        stack: [
          sideHeading('Федерация', 'Федерация'),
          { text: federation.kk },
          { text: federation.ru, color: grey, fontSize: 9 },
          ...signature(),
        ],
      },
      { width: gap, text: '' },
      {
        width: sideColumn,
        stack: [
          sideHeading('Ұйымдастырушы', 'Организатор'),
          ...facts.map((text, index): Content => ({ text: text, ...(index === 0 ? {} : { color: grey, fontSize: 9 }) })),
          ...signature(`${organizer.directorPosition}, ${organizer.directorName}`),
        ],
      },
    ],
  };
}

function sideHeading(kk: string, ru: string): Content {
  return { text: kk === ru ? kk : `${kk} · ${ru}`, bold: true, color: navy, margin: [0, 0, 0, 4] };
}

/** @param signer position and name, when known */
function signature(signer?: string): Content[] {
  const lineFor = (label: string, above: number): Content => ({
    stack: [
      { canvas: [{ type: 'line', x1: 0, y1: 0, x2: 220, y2: 0, lineWidth: 0.7, lineColor: ink }] },
      line(label, { fontSize: 7.5, color: grey, margin: [0, 2, 0, 0] }),
    ],
    margin: [0, above, 0, 0],
  });
  return [
    ...(signer === undefined
      ? [lineFor('лауазымы, аты-жөні · должность, Ф. И. О.', 34)]
      : [{ text: signer, margin: [0, 14, 0, 0] } satisfies Content]),
    lineFor('қолы · подпись', 30),
    line('М. О. · М. П.', { color: grey, margin: [0, 10, 0, 0] }),
  ];
}

function describeFooter({ eventId }: AgreementDraft, page: number, pages: number): Content {
  return {
    margin: [margins.side, 14, margins.side, 0],
    columns: [
      line(`Жарыс · Соревнование · Event ${eventId}`, { fontSize: 8, color: grey }),
      line(`${page} / ${pages}`, { fontSize: 8, color: grey, alignment: 'right' }),
    ],
  };
}

function heading(kk: string, ru: string): Content {
  return {
    text: [
      { text: kk, bold: true, color: navy },
      { text: `  ${ru}`, color: grey, fontSize: 9 },
    ],
    margin: [0, 7, 0, 3],
  };
}

function row(kk: string, ru: string, value: string): TableCell[] {
  return [
    {
      text: [
        { text: kk, bold: true, color: navy },
        { text: `  ${ru}`, fontSize: 8, color: grey },
      ],
    },
    { text: value, bold: true },
  ];
}
