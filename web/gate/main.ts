import { readScannedText } from '../../client/src/scanned-text.ts';
import { type Verdict, verifyCredential } from '../../client/src/verify-credential.ts';
import { type Camera, readPhoto, startCamera } from './camera.ts';
import { type Check, keepCheck, readChecks } from './checks.ts';
import { type Clocks, loadMaterial, type Material, oldestList, refreshMaterial } from './material.ts';
import { allowSound, signal } from './signals.ts';
import { chooseLanguage, type Language, type Texts, texts, wordsOfMoment, wordsOfTime } from './texts.ts';

/** The page `/gate` (GAT-7 to GAT-9): reads a QR, verifies it without a network, and fills the screen with the verdict. */

const byId = <Element extends HTMLElement>(id: string) => document.getElementById(id) as Element;
const dialog = byId<HTMLDialogElement>('verdict');
const scanButton = byId<HTMLButtonElement>('scan');
const torchButton = byId<HTMLButtonElement>('torch');
const textField = byId<HTMLTextAreaElement>('text');
const photoField = byId<HTMLInputElement>('photo');
const languageField = byId<HTMLSelectElement>('language');

const refreshMs = 60_000;
const toleratedClockMs = 120_000;
const sameCodeMs = 3000;

let language: Language = chooseLanguage();
let material: Material = { jwks: { keys: [] }, statusLists: {}, completeUntil: {} };
let camera: Camera | null = null;
const lastSeen = { text: '', closedAt: 0 };
let isChecking = false;
let isOffline = false;
let clocks: Clocks = { aheadMs: 0, sandboxNow: null };
let hasNewRelease = false;
let hint: (keyof Texts & ('noCamera' | 'noCode' | 'insecure')) | null = isSecureContext ? null : 'insecure';

/** Writes all texts again: at the start, and for another language or state. */
function write(): void {
  const words = texts[language];
  document.documentElement.lang = language;
  document.title = words.title;
  languageField.value = language;
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    const text = words[element.dataset['text'] as keyof Texts];
    if (typeof text === 'string') element.textContent = text;
  }
  scanButton.textContent = camera ? words.stop : words.scan;
  byId('hint').textContent = hint ? words[hint] : '';
  byId('brand').textContent = byId('brand').dataset[language] ?? '';
  byId('sandbox').hidden = clocks.sandboxNow === null;
  byId('sandbox').textContent = clocks.sandboxNow && words.movedClock(wordsOfMoment(clocks.sandboxNow, language));
  byId('age').textContent = wordsOfList(words);
  byId('checks').replaceChildren(...readChecks().map((check) => itemOf(check, words)));
}

function wordsOfList(words: Texts): string {
  const issued = oldestList(material);
  const list = issued ? words.listOf(wordsOfTime(issued, language)) : words.noList;
  const isClockWrong = Math.abs(clocks.aheadMs) > toleratedClockMs;
  return [list, isOffline && words.offline, isClockWrong && words.clockIsWrong].filter(Boolean).join('. ').replaceAll('..', '.');
}

function itemOf({ at, verdict, reason, number }: Check, words: Texts): HTMLLIElement {
  const item = document.createElement('li');
  const parts = [wordsOfMoment(new Date(at), language), number, wordOf(verdict, null, words), reason && words.reasons[reason]];
  item.textContent = parts.filter(Boolean).join(' · ');
  return item;
}

function wordOf(verdict: Verdict['verdict'], asOf: string | null, words: Texts): string {
  if (verdict === 'valid') return asOf === null ? words.valid : words.validAsOf(wordsOfAsOf(asOf));
  return verdict === 'not_valid' ? words.notValid : words.cannotTell;
}

/** @param asOf of a verdict, in UTC+5: `14:00`, or `2026-03-05 14:00` of another day */
function wordsOfAsOf(asOf: string): string {
  const [day, clock] = asOf.split(' ');
  return clock === undefined ? asOf : wordsOfMoment(new Date(`${day}T${clock}+05:00`), language);
}

/** Verifies a text and shows its verdict. A camera sees the same code many times while one verdict is shown. */
async function check(text: string): Promise<void> {
  if (isChecking || dialog.open) return;
  isChecking = true;
  try {
    const at = new Date();
    const verdict = await verifyCredential(text, { ...material, at });
    keepCheck({ at: at.getTime(), verdict: verdict.verdict, reason: verdict.reason, number: verdict.credential?.number ?? null });
    if (verdict.verdict === 'cannot_tell' && (await openOnline(text))) return;
    show(verdict);
  } finally {
    isChecking = false;
  }
}

/** The same paper is still in front of the camera when its verdict is closed. */
function checkSeen(text: string): void {
  if (text === lastSeen.text && Date.now() - lastSeen.closedAt < sameCodeMs) return;
  lastSeen.text = text;
  void check(text);
}

/** Opens the page of the registry where there is a network (GAT-8). */
async function openOnline(text: string): Promise<boolean> {
  const { page } = readScannedText(text);
  if (page?.origin !== location.origin) return false;
  try {
    await fetch(page.path, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(4000) });
  } catch {
    return false;
  }
  location.assign(page.path);
  return true;
}

function show({ verdict, reason, credential, asOf }: Verdict): void {
  const words = texts[language];
  dialog.className = verdict;
  byId('word').textContent = wordOf(verdict, asOf, words);
  byId('number').textContent = credential?.number ?? '';
  byId('facts').textContent = credential ? words.compare : '';
  byId('reason').textContent = reason ? words.reasons[reason] : '';
  // Not when the dialog closes: the event of that comes later, and may meet the next text.
  textField.value = '';
  dialog.showModal();
  byId('next').focus();
  signal(verdict);
}

async function switchCamera(): Promise<void> {
  allowSound();
  if (camera) {
    camera.stop();
    camera = null;
  } else {
    byId('view').hidden = false;
    try {
      camera = await startCamera(byId<HTMLVideoElement>('camera'), checkSeen);
      hint = null;
    } catch {
      hint = 'noCamera';
    }
  }
  byId('view').hidden = camera === null;
  torchButton.hidden = !camera?.switchTorch;
  torchButton.ariaPressed = 'false';
  write();
}

async function checkPhoto(): Promise<void> {
  allowSound();
  const [photo] = photoField.files ?? [];
  if (!photo) return;
  const text = await readPhoto(photo).catch(() => null);
  photoField.value = '';
  hint = text === null ? 'noCode' : null;
  write();
  if (text !== null) await check(text);
}

async function refresh(): Promise<void> {
  try {
    clocks = await refreshMaterial();
    isOffline = false;
  } catch {
    isOffline = true;
  }
  material = await loadMaterial();
  write();
}

/** Loads a new release between two checks, never under a verdict. */
function reloadForRelease(): void {
  if (hasNewRelease && !dialog.open && !isChecking) location.reload();
}

async function installWorker(): Promise<void> {
  const workers = navigator.serviceWorker;
  // The first worker takes over the page that installed it: no new release.
  let isFirst = workers.controller === null;
  workers.addEventListener('controllerchange', () => {
    hasNewRelease = !isFirst;
    isFirst = false;
    reloadForRelease();
  });
  await workers.register('/gate/service-worker.js', { scope: '/gate', type: 'module', updateViaCache: 'none' });
}

scanButton.addEventListener('click', () => void switchCamera());
torchButton.addEventListener('click', () => {
  const on = torchButton.ariaPressed !== 'true';
  torchButton.ariaPressed = String(on);
  void camera?.switchTorch?.(on);
});
photoField.addEventListener('change', () => void checkPhoto());
byId('pasted').addEventListener('submit', (event) => {
  event.preventDefault();
  allowSound();
  void check(textField.value);
});
byId('refresh').addEventListener('click', () => void refresh());
byId('next').addEventListener('click', () => dialog.close());
dialog.addEventListener('close', () => {
  lastSeen.closedAt = Date.now();
  write();
  reloadForRelease();
});
languageField.addEventListener('change', () => {
  language = languageField.value as Language;
  localStorage.setItem('gate-language', language);
  write();
});
window.addEventListener('online', () => void refresh());
setInterval(() => {
  if (document.visibilityState === 'visible') void refresh();
}, refreshMs);

write();
if (isSecureContext) {
  // The development server has no release to keep.
  if (!import.meta.hot) void installWorker();
  material = await loadMaterial();
  await refresh();
}
