import { dictionary } from '@zxcvbn-ts/language-common';

/** Fewest characters of a new password (ACC-1). */
export const leastPasswordLength = 12;

const common = new Set(dictionary['passwords-common'].filter((password) => password.length >= leastPasswordLength));

/** Whether the password is in the list of common ones or repeats one short piece (ACC-1). */
export function isCommonPassword(password: string): boolean {
  const lower = password.normalize('NFKC').toLowerCase();
  return common.has(lower) || /^(.{1,4})\1+$/s.test(lower);
}
