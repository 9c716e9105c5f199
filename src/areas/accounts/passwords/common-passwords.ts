import { dictionary } from '@zxcvbn-ts/language-common';

/** Length that a new password has at the least (decisions.md §2). */
export const leastPasswordLength = 12;

const common = new Set(dictionary['passwords-common'].filter((password) => password.length >= leastPasswordLength));

/** Whether attackers try this password first: it is in the list of common ones, or one short piece over and over. */
export function isCommonPassword(password: string): boolean {
  const lower = password.normalize('NFKC').toLowerCase();
  return common.has(lower) || /^(.{1,4})\1+$/s.test(lower);
}
