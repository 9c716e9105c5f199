import { escapeHtml } from '../../../http/response/page.ts';
import { renderPage } from '../simulator.ts';
import type { Chat, ChatMessage, Memory } from './phonebook.ts';

/** Languages in the form of a new telephone; others work too. */
const telephoneLanguages = ['ru', 'kk', 'en', 'de'] as const;

const style = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 32rem; padding: 1rem; }
  h1 { font-size: 1.25rem; margin: .25rem 0; } h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
  ol.chat { list-style: none; margin: 1rem 0; padding: 0; display: flex; flex-direction: column; gap: .5rem; }
  ol.chat li { border-radius: .75rem; padding: .5rem .75rem; max-width: 85%; white-space: pre-wrap; overflow-wrap: anywhere; }
  li.bot { align-self: flex-start; background: #8883; } li.person { align-self: flex-end; background: #07c; color: #fff; }
  li.phone { align-self: center; opacity: .75; font-size: .875rem; }
  time { display: block; font-size: .75rem; opacity: .75; }
  form.row { display: flex; gap: .5rem; } form.row input { flex: 1; min-width: 0; } form { margin: .5rem 0; }
  input, select, button { font: inherit; padding: .5rem .75rem; min-height: 2.75rem; box-sizing: border-box; border-radius: .5rem; border: 1px solid #888; }
  label { display: block; margin: .5rem 0; } label input, label select { display: block; width: 100%; }
  button { background: #07c; color: #fff; border-color: #07c; cursor: pointer; } button.plain { background: none; color: inherit; border-color: #888; }
  .menu { display: flex; flex-wrap: wrap; gap: .5rem; } .menu form { margin: 0; }
  ul.phones { list-style: none; padding: 0; } ul.phones a { display: block; padding: .75rem; border: 1px solid #8886; border-radius: .5rem; margin: .5rem 0; text-decoration: none; color: inherit; }
  small { opacity: .75; } code { overflow-wrap: anywhere; }`;

function page(title: string, body: string): string {
  return renderPage(
    escapeHtml(title),
    style,
    body,
    'Учебный мессенджер, никуда ничего не уходит. · Оқу мессенджері, ештеңе сыртқа кетпейді. · A simulator of a messenger, nothing leaves this machine.',
  );
}

function languageOptions(): string {
  return telephoneLanguages.map((language) => `<option value="${language}">${language}</option>`).join('');
}

const newTelephoneFields = `
<label>Имя · Аты · Name <input name="name" maxlength="64" value="Телефон"></label>
<label>Язык телефона · Телефон тілі · Language of the telephone <select name="language">${languageOptions()}</select></label>`;

/** Renders the list of telephones and the form for a link. */
export function phonesPage(botName: string, chats: readonly Chat[]): string {
  const items = chats.toReversed().map(
    (
      chat,
    ) => `<li><a href="/phones/${chat.id}"><strong>${escapeHtml(chat.name)}</strong> (${escapeHtml(chat.language)})${chat.isBlocked ? ' · бот заблокирован · бот бұғатталған · bot blocked' : ''}
<br><small>${escapeHtml(shortened(chat.messages.at(-1)))}</small></a></li>`,
  );
  return page(
    'Телефоны · Телефондар · Telephones',
    `<h1>Телефоны · Телефондар · Telephones</h1>
<p>Бот · Bot: <strong>@${escapeHtml(botName)}</strong></p>
${items.length > 0 ? `<ul class="phones">${items.join('')}</ul>` : '<p>Телефонов ещё нет. · Телефон әлі жоқ. · No telephones yet.</p>'}
<h2>Открыть ссылку · Сілтемені ашу · Open a link</h2>${openForm(chats, '')}
<h2>Новый телефон · Жаңа телефон · New telephone</h2>
<form method="post" action="/phones">${newTelephoneFields}<button>Добавить · Қосу · Add</button></form>
<p><small>Сбои по заказу · Тапсырыспен ақаулар · Faults on demand: <code>POST /control</code> <code>{"outage":"error"}</code>, <code>{"too_many_requests":{"retry_after":3,"times":2}}</code>,
<code>{"deliver_times":2}</code>, <code>{"hold_updates":true}</code>; что здесь есть · мұнда не бар · what is there: <code>GET /control</code>.</small></p>`,
  );
}

/** Renders the choice of a telephone for a link `https://t.me/<bot>?start=<token>`. */
export function openPage(botName: string, chats: readonly Chat[], token: string): string {
  return page(
    'Открыть чат · Чатты ашу · Open the chat',
    `<h1>@${escapeHtml(botName)}</h1>${openForm(chats, token)}<p><a href="/">Все телефоны · Барлық телефон · All telephones</a></p>`,
  );
}

function openForm(chats: readonly Chat[], token: string): string {
  const choices = chats
    .toReversed()
    .map((chat) => `<option value="${chat.id}">${escapeHtml(chat.name)} (${escapeHtml(chat.language)})</option>`);
  return `<form method="post" action="/open">
<label>Ссылка или код · Сілтеме немесе код · Link or token <input name="link" required maxlength="400" value="${escapeHtml(token)}" placeholder="https://t.me/…?start=…"></label>
<label>Телефон · Telephone <select name="phone">${choices.join('')}<option value="new">Новый · Жаңа · A new one</option></select></label>
<details${chats.length === 0 ? ' open' : ''}><summary>Для нового · Жаңа үшін · For a new one</summary>${newTelephoneFields}</details>
<button>Start</button></form>`;
}

export function chatPage(botName: string, chat: Chat, commands: Memory['commands'][string]): string {
  const action = (name: string) => `/phones/${chat.id}/${name}`;
  const button = (name: string, label: string) =>
    `<form method="post" action="${action(name)}"><button class="plain">${label}</button></form>`;
  const menu = commands.map(
    ({ command, description }) =>
      `<form method="post" action="${action('messages')}"><input type="hidden" name="text" value="/${escapeHtml(command)}"><button class="plain" title="${escapeHtml(description)}">/${escapeHtml(command)}</button></form>`,
  );
  const inputs = chat.isBlocked
    ? `<p>Бот заблокирован. · Бот бұғатталған. · The bot is blocked.</p>${button('unblock', 'Разблокировать · Бұғаттан шығару · Unblock')}`
    : `<form class="row" method="post" action="${action('messages')}"><input name="text" required maxlength="4096" autocomplete="off" autofocus aria-label="Сообщение · Хабар · Message"><button>➤</button></form>
<div class="menu">${button('start', 'Start')}${menu.join('')}</div>
<h2></h2><div class="menu">${button('block', 'Заблокировать бота · Ботты бұғаттау · Block the bot')}</div>`;
  return page(
    `${chat.name} · @${botName}`,
    `<p><a href="/">← Телефоны · Телефондар · Telephones</a> · <a href="/phones/${chat.id}">Обновить · Жаңарту · Refresh</a></p>
<h1>@${escapeHtml(botName)}</h1><p><small>${escapeHtml(chat.name)} (${escapeHtml(chat.language)})</small></p>
<ol class="chat">${chat.messages.map(bubble).join('')}</ol>${inputs}`,
  );
}

function bubble({ from, text, at }: ChatMessage): string {
  if (from === 'phone')
    return `<li class="phone">${text === 'blocked' ? 'бот заблокирован · бот бұғатталған · bot blocked' : 'бот разблокирован · бот бұғаттан шықты · bot unblocked'}</li>`;
  return `<li class="${from}">${escapeHtml(text)}<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(11, 16))} UTC</time></li>`;
}

function shortened(message: ChatMessage | undefined): string {
  const [line = ''] = (message?.text ?? '').split('\n');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

export function problemPage(text: string): string {
  return page(
    'Не вышло · Болмады · It did not work',
    `<h1>Не вышло · Болмады · It did not work</h1><p>${escapeHtml(text)}</p><p><a href="/">Телефоны · Телефондар · Telephones</a></p>`,
  );
}
