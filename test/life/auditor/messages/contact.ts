import { judgeCaptcha } from '../accounts/captchas.ts';
import { type Area, touchedIds } from '../area.ts';
import { refuse } from '../judgement.ts';

/** A message of the contact form. */
export interface ContactMessage {
  isAnswered: boolean;
}

/** Messages of the contact form, by ACC-16: each waits in the queue until an administrator marks it answered. */
export const contactArea: Area = {
  records: ['contact_message'],

  judge(model, asked, now) {
    const { operation, params } = asked;
    switch (operation) {
      case 'POST /contact':
        return judgeCaptcha(model, asked, now) ?? 'accept';
      case 'POST /admin/contact-messages/{id}/answered':
        return model.contactMessages.has(Number(params['id'])) ? 'accept' : refuse('not_found');
      default:
        return null;
    }
  },

  saw(model, exchange) {
    const { operation, params, data } = exchange;
    if (operation === 'POST /contact') {
      model.contactMessages.set(data.id, { isAnswered: false });
      model.noted(exchange, 'contact_message.received', 'contact_message', data.id);
      for (const { id, email } of model.accounts.values()) if (email === model.federationEmail) model.mails.about(id).most += 1;
      return [{ kind: 'contact_message', id: data.id }];
    }
    if (operation !== 'POST /admin/contact-messages/{id}/answered') return [];
    const id = Number(params['id']);
    const message = model.contactMessages.get(id);
    if (message && !message.isAnswered) model.noted(exchange, 'contact_message.answered', 'contact_message', id);
    if (message) message.isAnswered = true;
    return [{ kind: 'contact_message', id }];
  },

  async ask({ model, listed, same }, touched) {
    if (touchedIds(touched, 'contact_message').length === 0) return;
    const waiting = [...model.contactMessages].filter(([, { isAnswered }]) => !isAnswered).map(([id]) => id);
    const queued = await listed<{ id: number }>('GET /admin/queue', '?kind=contact_message');
    same(
      'the queue holds each message of the contact form until it is answered (ACC-16, REV-3)',
      waiting.toSorted(ascending),
      queued.map(({ id }) => id).toSorted(ascending),
    );
  },
};

const ascending = (left: number, right: number) => left - right;
