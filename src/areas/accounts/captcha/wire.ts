import { z } from 'zod';
import { dateTimeResponse, uuid } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import type { Captcha } from '../entities.ts';
import { captchaLength } from './issue-captcha.ts';

/** Fields of a form that needs a captcha. */
export const captchaFields = {
  captcha_id: uuid.describe('From GET /captcha with the purpose of this form'),
  captcha_answer: z.string().trim().length(captchaLength).describe('The five characters of the image, in upper or lower case'),
};

export const captchaQuery = z.strictObject({ purpose: z.enum(['register', 'forgot', 'contact']) });
export const captchaResponse = z
  .object({
    id: uuid,
    captcha_id: uuid.describe('Same as `id`, with the name of the field in the forms'),
    image: z.string().describe('PNG as a data URL'),
    expires_at: dateTimeResponse,
  })
  .meta({ id: 'Captcha' });

export function presentCaptcha({ id, expiresAt }: Readonly<Captcha>, png: Buffer): z.input<typeof captchaResponse> {
  return { id, captcha_id: id, image: `data:image/png;base64,${png.toString('base64')}`, expires_at: formatDateTime(expiresAt) };
}
