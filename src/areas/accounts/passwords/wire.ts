import { z } from 'zod';
import { captchaFields } from '../captcha/wire.ts';
import { confirmingCode, email, newPassword, presentPassword } from '../wire.ts';

export const forgotBody = z.strictObject({ email, ...captchaFields }).meta({ id: 'PasswordResetRequest' });
export const resetBody = z
  .strictObject({
    token: z.string().min(1).max(100).describe('Token of the link in the mail'),
    password: newPassword,
    keep_api_keys: z
      .boolean()
      .optional()
      .meta({ description: 'Without effect: a recovery always ends keys and webhooks', deprecated: true }),
  })
  .meta({ id: 'PasswordReset' });
export const passwordBody = z
  .strictObject({
    current_password: presentPassword,
    code: confirmingCode,
    password: newPassword,
    keep_api_keys: z
      .boolean()
      .default(false)
      .describe('True: the API keys and webhooks of the account go on; false: the keys are revoked, the webhooks disabled'),
  })
  .meta({ id: 'PasswordChange' });
export const resetResponse = z.object({ password_changed: z.literal(true) });
