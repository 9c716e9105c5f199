/**
 * Returns the secrets of a variable, separated by commas. The first signs and encrypts, all verify and decrypt, so that a secret can be
 * replaced while what the former one made is still in use (`docs/security.md`).
 */
export function secretsIn(list: string): readonly [string, ...string[]] {
  const [first = '', ...rest] = list.split(',').map((secret) => secret.trim());
  return [first, ...rest];
}
