import type { Language } from '../../../http/language.ts';

const ru = {
  title: 'Проверка соглашения с федерацией',
  heading: { valid: 'В силе', invalid: 'Не в силе', unknown: 'Соглашение не найдено' },
  statuses: {
    generated: 'Соглашение составлено, но подписанная копия ещё не прислана.',
    pending: 'Подписанная копия прислана и ждёт решения федерации.',
    confirmed: 'Федерация подтвердила подписанное соглашение. Оно в силе на момент проверки.',
    rejected: 'Федерация не приняла подписанную копию.',
    replaced: 'Соглашение заменено новой версией.',
    cancelled: 'Соглашение аннулировано.',
  },
  unknownText: 'Такого соглашения в реестре нет. Отсканируйте QR-код ещё раз, целиком и с оригинала документа.',
  number: 'Соглашение',
  version: 'Версия',
  signer: 'Подписал от федерации',
  signedAt: 'Подписано федерацией',
  replacedBy: 'Заменено соглашением',
  originalHash: 'SHA-256 исходного документа',
  scanHash: 'SHA-256 подписанной копии',
  fileHash: 'SHA-256 вашего файла',
  checked: 'Проверено',
  compare: 'Сверьте номер с номером на предъявленном документе.',
  openScan: 'Открыть подписанную копию (PDF)',
  form: {
    heading: 'Проверить файл',
    text: 'Выберите PDF соглашения: реестр сравнит его с исходным документом и подписанной копией. Файл не сохраняется.',
    label: 'Файл PDF, не больше 20 МБ',
    button: 'Проверить',
    missing: 'Выберите файл PDF.',
  },
  comparison: {
    /** The file is a document of an agreement in force, of one not in force, or of none. */
    heading: { valid: 'Файл подлинный', invalid: 'Файл подлинный, но соглашение не в силе', other: 'Файл отличается' },
    documents: {
      original: 'Это исходный документ, составленный реестром, ещё без подписи организатора.',
      scan: 'Это подписанная копия из реестра.',
    },
    otherText:
      'Это не исходный документ и не подписанная копия: в файле изменён хотя бы один знак, он сохранён заново или относится к другому соглашению.',
  },
};
export type AgreementPageTexts = typeof ru;

export const agreementPageTexts: Record<Language, AgreementPageTexts> = {
  ru,
  kk: {
    title: 'Федерациямен жасалған келісімді тексеру',
    heading: { valid: 'Күшінде', invalid: 'Күшінде емес', unknown: 'Келісім табылмады' },
    statuses: {
      generated: 'Келісім жасалған, бірақ қол қойылған көшірме әлі жіберілген жоқ.',
      pending: 'Қол қойылған көшірме жіберілді, федерацияның шешімін күтуде.',
      confirmed: 'Федерация қол қойылған келісімді растады. Ол тексеру сәтінде күшінде.',
      rejected: 'Федерация қол қойылған көшірмені қабылдамады.',
      replaced: 'Келісім жаңа нұсқамен ауыстырылды.',
      cancelled: 'Келісімнің күші жойылды.',
    },
    unknownText: 'Тізілімде мұндай келісім жоқ. QR-кодты құжаттың түпнұсқасынан толық етіп қайта сканерлеңіз.',
    number: 'Келісім',
    version: 'Нұсқасы',
    signer: 'Федерация атынан қол қойған',
    signedAt: 'Федерация қол қойған уақыт',
    replacedBy: 'Ауыстырған келісім',
    originalHash: 'Бастапқы құжаттың SHA-256 мәні',
    scanHash: 'Қол қойылған көшірменің SHA-256 мәні',
    fileHash: 'Сіздің файлыңыздың SHA-256 мәні',
    checked: 'Тексерілді',
    compare: 'Нөмірді көрсетілген құжаттағы нөмірмен салыстырыңыз.',
    openScan: 'Қол қойылған көшірмені ашу (PDF)',
    form: {
      heading: 'Файлды тексеру',
      text: 'Келісімнің PDF файлын таңдаңыз: тізілім оны бастапқы құжатпен және қол қойылған көшірмемен салыстырады. Файл сақталмайды.',
      label: 'PDF файлы, 20 МБ-тан аспайтын',
      button: 'Тексеру',
      missing: 'PDF файлын таңдаңыз.',
    },
    comparison: {
      heading: { valid: 'Файл түпнұсқа', invalid: 'Файл түпнұсқа, бірақ келісім күшінде емес', other: 'Файл өзгеше' },
      documents: {
        original: 'Бұл – тізілім жасаған бастапқы құжат, онда ұйымдастырушының қолы әлі жоқ.',
        scan: 'Бұл – тізілімдегі қол қойылған көшірме.',
      },
      otherText:
        'Бұл бастапқы құжат та, қол қойылған көшірме де емес: файлда кемінде бір таңба өзгертілген, ол қайта сақталған немесе басқа келісімге жатады.',
    },
  },
  en: {
    title: 'Verification of an agreement with the federation',
    heading: { valid: 'In force', invalid: 'Not in force', unknown: 'No such agreement' },
    statuses: {
      generated: 'The agreement has been drawn up, but no signed copy has been sent yet.',
      pending: "A signed copy has been sent and waits for the federation's decision.",
      confirmed: 'The federation has confirmed the signed agreement. It is in force at the time of this check.',
      rejected: 'The federation did not accept the signed copy.',
      replaced: 'A newer version has taken its place.',
      cancelled: 'The agreement has been annulled.',
    },
    unknownText: 'The registry has no such agreement. Scan the whole QR code again, from the original document.',
    number: 'Agreement',
    version: 'Version',
    signer: 'Signed for the federation by',
    signedAt: 'Signed by the federation',
    replacedBy: 'Replaced by agreement',
    originalHash: 'SHA-256 of the original document',
    scanHash: 'SHA-256 of the signed copy',
    fileHash: 'SHA-256 of your file',
    checked: 'Checked',
    compare: 'Compare the number with the one on the document you were shown.',
    openScan: 'Open the signed copy (PDF)',
    form: {
      heading: 'Check a file',
      text: 'Choose the PDF of the agreement: the registry compares it with the original document and the signed copy. The file is not kept.',
      label: 'PDF file, at most 20 MB',
      button: 'Check',
      missing: 'Choose a PDF file.',
    },
    comparison: {
      heading: {
        valid: 'The file is genuine',
        invalid: 'The file is genuine, but the agreement is not in force',
        other: 'The file differs',
      },
      documents: {
        original: "This is the original document as the registry drew it up, without the organizer's signature yet.",
        scan: 'This is the signed copy that the registry keeps.',
      },
      otherText:
        'This is neither the original document nor the signed copy: at least one character of the file was changed, it was saved anew, or it belongs to another agreement.',
    },
  },
};
