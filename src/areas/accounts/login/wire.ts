import { z } from 'zod';
import { captchaFields } from '../captcha/wire.ts';
import { email, name, newPassword, phone, presentPassword } from '../wire.ts';

export const registerBody = z
  .strictObject({ email, password: newPassword, name, phone: phone.optional(), ...captchaFields })
  .meta({ id: 'Registration' });
export const loginBody = z.strictObject({ email, password: presentPassword }).meta({ id: 'Login' });
