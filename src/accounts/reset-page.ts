import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 30rem; padding: 1.5rem 1rem; font: 1.0625rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
h1 { font-size: 1.4rem; line-height: 1.25; }
label { display: block; font-weight: 600; }
input, button { width: 100%; padding: .75rem; margin-top: .5rem; font: inherit; border-radius: .5rem; border: 1px solid #8888; }
button { background: #0b4a8f; color: #fff; border: 0; font-weight: 600; }
.problem { color: #a3161b; font-weight: 600; }
@media (prefers-color-scheme: dark) { .problem { color: #ff8a8a; } }
`;

/** Only this page's own style, and a form that goes back to where it came from. */
export const resetPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The form behind the link of the recovery letter, in the three languages of the registry. @param problem why the last try was refused */
export function renderResetForm(token: string, problem: string | null): string {
  return render(`<h1>Жаңа құпиясөз · Новый пароль · New password</h1>
${problem === null ? '' : `<p class="problem" role="alert">${escape(problem)}</p>\n`}<form method="post" action="/reset">
<input type="hidden" name="token" value="${escape(token)}">
<label for="password">12+ таңба · 12+ символов · 12+ characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required>
<button>Сақтау · Сохранить · Save</button>
</form>`);
}

export function renderResetDone(): string {
  return render('<h1>Құпиясөз өзгертілді · Пароль изменён · The password is changed</h1>');
}

/** For a link that is used, replaced or too old. */
export function renderResetRefused(): string {
  return render(`<h1>Сілтеме жарамсыз · Ссылка недействительна · The link is no longer good</h1>
<p>Жаңасын сұраңыз. Запросите новую. Ask for a new one.</p>`);
}

function render(content: string): string {
  return `<!doctype html>
<html lang="ru">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Жаңа құпиясөз · Новый пароль · New password</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
