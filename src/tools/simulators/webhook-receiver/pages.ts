import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../http/response/page.ts';
import { renderPage } from '../simulator.ts';
import { type Answer, answers, type Delivery, type InboxView, limits } from './inboxes.ts';

const style = `
  :root { color-scheme: light dark; --good: #0a6; --bad: #c33; --line: #8886; }
  * { box-sizing: border-box; }
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 1rem; }
  h1 { font-size: 1.25rem; } h2 { font-size: 1.125rem; margin: 0; overflow-wrap: anywhere; }
  section { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: 1rem; }
  form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .5rem 0; }
  label { font-size: .875rem; } label.wide { flex: 1 1 16rem; }
  input, select, button { display: block; font: inherit; width: 100%; min-height: 2.5rem; padding: .25rem .75rem; border: 1px solid #888; border-radius: .5rem; }
  input[type=number] { width: 6rem; } button { width: auto; background: #07c; border-color: #07c; color: #fff; cursor: pointer; }
  button.plain { background: none; border-color: #888; color: inherit; }
  .table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
  th, td { border-top: 1px solid var(--line); padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: top; }
  th, td { white-space: nowrap; } td.wide { white-space: normal; width: 60%; min-width: 16rem; }
  @media (max-width: 40rem) { table, tbody, tr, td, td.wide { display: block; width: auto; min-width: 0; white-space: normal; } th { display: none; } tr { border-top: 1px solid var(--line); padding: .375rem 0; } td { border: 0; padding: 0; } td:not(.wide) { display: inline-block; margin-right: .75rem; } }
  .mark { border-radius: .375rem; padding: 0 .5rem; background: var(--line); } .right { background: var(--good); color: #fff; } .wrong { background: var(--bad); color: #fff; }
  summary { cursor: pointer; overflow-wrap: anywhere; } pre { margin: .25rem 0; max-height: 20rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8125rem; }
  small { opacity: .75; } code { overflow-wrap: anywhere; }`;

/** The control API has the rest. */
const shown = { deliveries: 50, characters: 4000 } as const;

/** Loads the page again, except while a person writes, reads a delivery or marks text. */
const script = `setInterval(() => {
  const isChanged = [...document.querySelectorAll('input')].some((input) => input.value !== input.defaultValue);
  const isUsed = document.querySelector('input:focus, select:focus, details[open]') || !getSelection().isCollapsed;
  if (!isChanged && !isUsed) location.reload();
}, 3000);`;

/** Allows the inline style and this script. */
export const pagePolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const answerWords: Record<Answer, string> = {
  '200': '200',
  '410': '410',
  '500': '500',
  '503': '503 + Retry-After',
  slow: 'медленно · баяу · slow',
  silent: 'молчит · үнсіз · silent',
};

const signatureWords: Record<Delivery['signature'], string> = {
  right: 'верна · дұрыс · right',
  wrong: 'неверна · қате · wrong',
  unknown: 'неизвестно · белгісіз · unknown',
};

function page(title: string, body: string): string {
  return renderPage(
    escapeHtml(title),
    style,
    body,
    'Учебный приёмник, хранит доставки только в памяти. · Оқу қабылдағышы, жеткізілімді тек жадта сақтайды. · A simulator of a receiver, keeps deliveries in memory only.',
  );
}

export function problemPage(text: string): string {
  return page(
    'Не вышло · Болмады · It did not work',
    `<h1>Не вышло · Болмады · It did not work</h1><p>${escapeHtml(text)}</p><p><a href="/">Вебхуки · Вебхуктар · Webhooks</a></p>`,
  );
}

/** Renders all inboxes with their forms. @param origin address of the receiver */
export function inboxesPage(inboxes: readonly InboxView[], origin: string): string {
  return page(
    'Вебхуки · Вебхуктар · Webhooks',
    `<h1>Приёмник вебхуков · Вебхук қабылдағышы · Webhook receiver</h1>
<p>Адрес любого имени принимает доставки. · Кез келген атаулы мекенжай жеткізілімді қабылдайды. · An address of any name receives deliveries: <code>${escapeHtml(origin)}/hooks/{name}</code></p>
<form method="post" action="/inboxes"><label class="wide">Имя · Аты · Name <input name="name" required pattern="[A-Za-z0-9_\\-]{1,64}" autocomplete="off"></label><button>Создать · Жасау · Create</button></form>
${inboxes.length > 0 ? inboxes.map((inbox) => inboxSection(inbox, origin)).join('') : '<p>Доставок ещё нет. · Жеткізілім әлі жоқ. · No deliveries yet.</p>'}
<p><small>Для программ · Бағдарламаларға · For programs: <code>POST /control/{name}</code> <code>{"secrets":["whsec_…"],"answer":{"kind":"503","seconds":5,"times":2}}</code>,
<code>GET /control/{name}</code>, <code>DELETE /control/{name}/deliveries</code>; виды · түрлері · kinds: ${answers.join(', ')}.</small></p>
<script>${script}</script>`,
  );
}

function inboxSection({ name, secrets, answer, deliveries }: InboxView, origin: string): string {
  const action = (what: string) => `/inboxes/${encodeURIComponent(name)}/${what}`;
  const options = answers.map((kind) => `<option value="${kind}"${kind === answer.kind ? ' selected' : ''}>${answerWords[kind]}</option>`);
  const rows = deliveries.slice(0, shown.deliveries).map(deliveryRow).join('');
  return `<section id="${escapeHtml(name)}"><h2>${escapeHtml(name)}</h2>
<p><code>${escapeHtml(origin)}/hooks/${escapeHtml(name)}</code></p>
<form method="post" action="${action('secrets')}"><label class="wide">Секреты через пробел · Құпия кілттер, бос орын арқылы · Secrets, separated by spaces (сохранено · сақталды · saved: ${secrets})
<input name="secrets" placeholder="whsec_…" autocomplete="off" spellcheck="false"></label><button>Сохранить · Сақтау · Save</button></form>
<form method="post" action="${action('answer')}"><label class="wide">Ответ · Жауап · Answer <select name="kind" autocomplete="off">${options.join('')}</select></label>
<label>Секунды · Секунд · Seconds <input name="seconds" type="number" min="1" max="${limits.seconds}" value="${answer.seconds}" required></label>
<label>Раз · Рет · Times <input name="times" type="number" min="1" max="${limits.times}" value="${answer.times_left ?? ''}" placeholder="∞"></label>
<button>Сохранить · Сақтау · Save</button></form>
<div class="table"><table><tr><th>UTC</th><th>Подпись · Қолтаңба · Signature</th><th>Ответ · Жауап · Answer</th><th>Содержимое · Мазмұны · Content</th></tr>${rows}</table></div>
${deliveries.length > shown.deliveries ? `<p><small>${shown.deliveries} из ${deliveries.length} · ${shown.deliveries} of ${deliveries.length}</small></p>` : ''}
${rows === '' ? '<p>Доставок ещё нет. · Жеткізілім әлі жоқ. · No deliveries yet.</p>' : `<form method="post" action="${action('clear')}"><button class="plain">Очистить · Тазалау · Clear</button></form>`}</section>`;
}

function deliveryRow({ received_at: at, id, signature, is_repeat: isRepeat, answer, headers, body }: Delivery): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = `${head.join('\n')}\n\n${body.length > shown.characters ? `${body.slice(0, shown.characters)}…` : body}`;
  return `<tr><td><time datetime="${at}">${at.slice(11, 19)}</time></td>
<td><span class="mark ${signature}">${signatureWords[signature]}</span></td><td>${answerWords[answer]}</td>
<td class="wide"><details><summary>${escapeHtml([typeOf(body), id].filter(Boolean).join(' · ') || '—')}${isRepeat ? ' <span class="mark">повтор · қайталау · repeat</span>' : ''}</summary>
<pre>${escapeHtml(text)}</pre></details></td></tr>`;
}

/** Returns the `type` of an event; null for another body. */
function typeOf(body: string): string | null {
  try {
    const { type } = JSON.parse(body) as { type?: unknown };
    return typeof type === 'string' ? type : null;
  } catch {
    return null;
  }
}
