import { z } from 'zod';

const digits = z
  .string()
  .trim()
  .regex(/^\d{6}$/, 'must be six digits')
  .meta({ description: 'Six digits of the authenticator application', examples: ['123456'] });

export const secondFactorResponse = z
  .object({
    secret: z.string().describe('In base32, to be typed into an application that cannot read the QR code'),
    otpauth_url: z.string().describe('Address that authenticator applications understand'),
    qr: z.string().describe('`otpauth_url` as a QR code: PNG as a data URL'),
  })
  .meta({ id: 'SecondFactor' });
export const confirmCodeBody = z.strictObject({ code: digits }).meta({ id: 'SecondFactorConfirmation' });
export const recoveryCodesResponse = z
  .object({ recovery_codes: z.array(z.string()).describe('Ten codes, each for one use in place of a code; not shown again') })
  .meta({ id: 'RecoveryCodes' });
export const codeLoginBody = z
  .strictObject({
    code: digits.optional(),
    recovery_code: z.string().trim().min(1).max(60).optional().describe('In place of `code`; each works once'),
  })
  .refine(({ code, recovery_code: recoveryCode }) => (code === undefined) !== (recoveryCode === undefined), {
    message: 'needs either code or recovery_code',
    path: ['code'],
  })
  .meta({ id: 'SecondFactorLogin' });
