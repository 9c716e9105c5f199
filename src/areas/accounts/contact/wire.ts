import { z } from 'zod';
import { dateTimeResponse, id, note } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { captchaFields } from '../captcha/wire.ts';
import type { ContactMessage } from '../entities.ts';
import { email, name } from '../wire.ts';

export const contactBody = z
  .strictObject({ name, email, message: z.string().trim().min(1).max(3000), ...captchaFields })
  .meta({ id: 'ContactMessage' });
export const answeredBody = z
  .strictObject({ note: note.nullable().optional().describe('How the message was answered, for the other administrators') })
  .prefault({})
  .meta({ id: 'ContactMessageAnswer' });
export const contactMessageResponse = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    message: z.string(),
    status: z.enum(['new', 'answered']).describe('`answered`: an administrator has marked it so'),
    created_at: dateTimeResponse,
    answered_at: dateTimeResponse.nullable(),
    answered_by: id.nullable().describe('The administrator who marked the message as answered'),
    note: z.string().nullable(),
  })
  .meta({ id: 'ReceivedContactMessage' });
export const contactResponse = z.object({ id, created_at: dateTimeResponse });

export function presentContactMessage(message: Readonly<ContactMessage>): z.input<typeof contactMessageResponse> {
  return {
    id: message.id,
    name: message.name,
    email: message.email,
    message: message.message,
    status: message.status,
    created_at: formatDateTime(message.createdAt),
    answered_at: message.answeredAt && formatDateTime(message.answeredAt),
    answered_by: message.answeredBy,
    note: message.answerNote,
  };
}
