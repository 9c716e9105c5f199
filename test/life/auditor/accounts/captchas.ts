import { captchaAnswer } from '../../../support/identities/captcha-answer.ts';
import type { Area, Asked } from '../area.ts';
import { cookieOf, type Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';

/** A captcha of a browser session. */
export interface Captcha {
  purpose: string;
  session: string | null;
  at: Date;
  /** Used, or replaced by a newer one. */
  isClosed: boolean;
}

interface Solved {
  captcha_id: string;
  captcha_answer: string;
}

const captchaMs = 10 * 60_000;
const forms: Readonly<Record<string, string>> = { 'POST /auth/forgot': 'forgot', 'POST /contact': 'contact' };

/** Captchas: each is of one form and one session, the newest alone, for ten minutes and one try (ACC-5). */
export const captchasArea: Area = {
  read(model, exchange) {
    const { operation, query, by, at, data } = exchange;
    if (operation !== 'GET /captcha') return;
    const session = cookieOf(exchange) ?? by.credential ?? null;
    for (const captcha of model.captchas.values()) if (captcha.session === session) captcha.isClosed = true;
    model.captchas.set(data.captcha_id, { purpose: new URLSearchParams(query).get('purpose') ?? '', session, at, isClosed: false });
  },

  saw(model, exchange) {
    close(model, exchange);
    return [];
  },

  refused: close,
};

/** What a captcha says of a form; null where it does not speak against it. */
export function judgeCaptcha(model: Model, { operation, body, by }: Asked, now: Date): Judgement | null {
  const { captcha_id: id, captcha_answer: answer } = body as Solved;
  const captcha = model.captchas.get(id);
  const isOpen = captcha?.isClosed === false && now.getTime() - captcha.at.getTime() < captchaMs;
  const isOfForm = captcha?.purpose === forms[operation] && captcha?.session === by.credential;
  return isOpen && isOfForm && answer === captchaAnswer ? null : refuse('captcha_failed');
}

function close(model: Model, { operation, body, error }: Exchange): void {
  const captcha = operation in forms ? model.captchas.get((body as Solved).captcha_id) : undefined;
  if (captcha && (error === null || error.code === 'captcha_failed')) captcha.isClosed = true;
}
