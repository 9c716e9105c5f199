import { after, defineNotifications, type Facts, reasonOf, words } from '../notifications/index.ts';

/**
 * Notifications about an agreement. The last two go to administrators, the others to the organizer. `number`: of the agreement,
 * `replaced_by`: number of its successor.
 */
export const agreementNotifications = defineNotifications({
  'agreement.confirmed': {
    en: (facts) => words('Agreement confirmed', `The federation has confirmed your agreement${number(facts)}: it is in force.`),
    ru: (facts) => words('Соглашение подтверждено', `Федерация подтвердила Ваше соглашение${number(facts)}: оно в силе.`),
    kk: (facts) => words('Келісім расталды', `Федерация келісіміңізді${inBrackets(facts)} растады: ол күшінде.`),
  },
  'agreement.rejected': {
    en: (facts) =>
      words(
        'Signed agreement returned',
        `The federation has not accepted the signed scan of your agreement${number(facts)}.`,
        'Send another scan.',
        reasonOf(facts),
      ),
    ru: (facts) =>
      words(
        'Подписанная копия не принята',
        `Федерация не приняла подписанную копию Вашего соглашения${number(facts)}.`,
        'Пришлите другую копию.',
        reasonOf(facts),
      ),
    kk: (facts) =>
      words(
        'Қол қойылған көшірме қабылданбады',
        `Федерация келісіміңіздің${inBrackets(facts)} қол қойылған көшірмесін қабылдамады.`,
        'Басқа көшірме жіберіңіз.',
        reasonOf(facts),
      ),
  },
  'agreement.replaced': {
    en: (facts) =>
      words(
        'Agreement replaced',
        `Your agreement${number(facts)} was replaced${after(' by ', facts.text('replaced_by'))} and is no longer valid.`,
        'Sign the new version and send its scan.',
        reasonOf(facts),
      ),
    ru: (facts) =>
      words(
        'Соглашение заменено',
        `Ваше соглашение${number(facts)} заменено${after(' соглашением ', facts.text('replaced_by'))} и больше не действует.`,
        'Подпишите новую версию и пришлите её копию.',
        reasonOf(facts),
      ),
    kk: (facts) =>
      words(
        'Келісім ауыстырылды',
        `Келісіміңіз${inBrackets(facts)} жаңа нұсқамен${after(' (', facts.text('replaced_by'), ')')} ауыстырылды және енді күшінде емес.`,
        'Жаңа нұсқаға қол қойып, оның көшірмесін жіберіңіз.',
        reasonOf(facts),
      ),
  },
  'agreement.cancelled': {
    en: (facts) => words('Agreement cancelled', `Your agreement${number(facts)} was cancelled and is not valid.`, reasonOf(facts)),
    ru: (facts) => words('Соглашение аннулировано', `Ваше соглашение${number(facts)} аннулировано и больше не действует.`, reasonOf(facts)),
    kk: (facts) => words('Келісімнің күші жойылды', `Келісіміңіздің${inBrackets(facts)} күші жойылды, ол енді жарамсыз.`, reasonOf(facts)),
  },
  'agreement.scan_missing': {
    en: (facts) =>
      words(
        'Signed agreement missing',
        `Your agreement${number(facts)} is not in force yet: print it, sign every copy and send the scan of all its pages.`,
      ),
    ru: (facts) =>
      words(
        'Нет подписанного соглашения',
        `Ваше соглашение${number(facts)} ещё не в силе: распечатайте его, подпишите каждый экземпляр и пришлите копию всех страниц.`,
      ),
    kk: (facts) =>
      words(
        'Қол қойылған келісім жоқ',
        `Келісіміңіз${inBrackets(facts)} әлі күшіне енген жоқ: оны басып шығарып, әр данасына қол қойыңыз да, барлық бетінің көшірмесін жіберіңіз.`,
      ),
  },
  'agreement.ended': {
    en: (facts) =>
      words(
        'Agreement ended by its organizer',
        `The organizer has ended the agreement${number(facts)}${after('; it was replaced by ', facts.text('replaced_by'))}.`,
        reasonOf(facts),
      ),
    ru: (facts) =>
      words(
        'Организатор прекратил соглашение',
        `Организатор прекратил соглашение${number(facts)}${after('; оно заменено соглашением ', facts.text('replaced_by'))}.`,
        reasonOf(facts),
      ),
    kk: (facts) =>
      words(
        'Ұйымдастырушы келісімді тоқтатты',
        `Ұйымдастырушы келісімді${inBrackets(facts)} тоқтатты${after('; оның орнына жаңа нұсқа (', facts.text('replaced_by'), ') жасалды')}.`,
        reasonOf(facts),
      ),
  },
  'agreement.scan_waiting': {
    en: (facts) =>
      words('A signed agreement waits', `The signed scan of the agreement${number(facts)} has been waiting for a decision for three days.`),
    ru: (facts) => words('Подписанное соглашение ждёт решения', `Подписанная копия соглашения${number(facts)} ждёт решения уже три дня.`),
    kk: (facts) =>
      words('Қол қойылған келісім шешім күтуде', `Келісімнің${inBrackets(facts)} қол қойылған көшірмесі үш күннен бері шешім күтуде.`),
  },
});

function number(facts: Facts): string {
  return after(' ', facts.text('number'));
}

/** Brackets keep Kazakh endings off the number. */
function inBrackets(facts: Facts): string {
  return after(' (', facts.text('number'), ')');
}
