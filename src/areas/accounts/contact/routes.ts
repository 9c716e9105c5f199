import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { auditRead } from '../../audit/index.ts';
import { afterAnswer } from '../after-answer.ts';
import { requireCaptcha } from '../captcha/use-captcha.ts';
import { contactMail } from '../mails.ts';
import { requireSession } from '../sessions/browser-session.ts';
import { answerContactMessage } from './answer-contact-message.ts';
import { receiveContactMessage } from './receive-contact-message.ts';
import * as wire from './wire.ts';

export const contactRoutes: Route[] = [
  defineRoute({
    name: 'sendContactMessage',
    method: 'POST',
    path: '/contact',
    access: access.session,
    tag: 'Session, captcha, public',
    summary: 'Send a message to the federation',
    description: "The message appears in the administrators' queue and is mailed to the administrator's address.",
    request: {
      body: wire.contactBody,
      example: {
        name: 'Данияр Ахметов',
        email: 'daniyar@example.kz',
        message: 'Как получить лицензию судьи?',
        captcha_id: '0b5d7a9e-4c1f-4e83-a6d2-9f3b8c7e1d50',
        captcha_answer: 'K7MPX',
      },
    },
    response: { status: 201, location: '/admin/contact-messages/:id', data: wire.contactResponse },
    errors: ['captcha_failed'],
    async handler({ principal, body, caller, platform }) {
      const { id: sessionId } = requireSession(principal);
      await requireCaptcha(platform, caller, sessionId, 'contact', body);
      const { name, email, message } = body;
      const received = await commit(platform, caller, (ctx) => receiveContactMessage(ctx, { name, email, message }));
      afterAnswer(platform, caller.requestId, 'mailing a contact message', () => platform.mailer.send(contactMail(platform, received)));
      // The sender cannot read this address; administrators find the message in their queue.
      return created({ id: received.id, created_at: formatDateTime(received.createdAt) }, `/admin/contact-messages/${received.id}`);
    },
  }),
  defineRoute({
    name: 'getContactMessage',
    method: 'GET',
    path: '/admin/contact-messages/:id',
    access: access.administrator('admin:read'),
    tag: 'Administration',
    summary: 'Get a message of the contact form',
    description: 'New or answered. The read is audited.',
    request: { params: idParams },
    response: { data: wire.contactMessageResponse },
    handler: ({ platform, caller, params: { id } }) =>
      query(platform, async (db, now) => {
        const message = await db.selectFrom('contact_messages').selectAll().where('id', '=', id).executeTakeFirst();
        if (!message) throw new DomainError('not_found');
        // No account owns it, but it is a person's text (AUD-4).
        await auditRead({ ...caller, db, now }, 'contact_message.read', { kind: 'contact_message', id });
        return ok(wire.presentContactMessage(message));
      }),
  }),
  defineRoute({
    name: 'answerContactMessage',
    method: 'POST',
    path: '/admin/contact-messages/:id/answered',
    access: access.administrator('admin:write'),
    tag: 'Administration',
    summary: 'Mark a contact message as answered',
    description:
      'Removes the message from the queue. The answer itself is sent by mail, outside the registry. A message that is already answered does not change.',
    request: { params: idParams, body: wire.answeredBody, example: { note: 'Ответили по телефону.' } },
    response: { data: wire.contactMessageResponse },
    handler: async ({ params, body, caller, platform }) => {
      const shown = await commit(platform, caller, async (ctx) =>
        wire.presentContactMessage(await answerContactMessage(ctx, params.id, body.note ?? null)),
      );
      return ok(shown);
    },
  }),
];
