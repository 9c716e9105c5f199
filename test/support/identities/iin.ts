import { checkDigit } from '../../../src/areas/profiles/profile-data.ts';

/**
 * An IIN that a person born on that day may have.
 * @param birthDate `YYYY-MM-DD`
 * @param serial distinguishes people of one day, from 0; serials that no check digit fits are passed over
 */
export function makeIin(birthDate: string, gender: 'male' | 'female', serial = 0): string {
  const century = (Number(birthDate.slice(0, 2)) - 18) * 2 + (gender === 'male' ? 1 : 2);
  const head = `${birthDate.replaceAll('-', '').slice(2)}${century}`;
  let left = serial;
  for (let number = 0; number < 10_000; number += 1) {
    const digits = `${head}${String(number).padStart(4, '0')}`;
    const last = checkDigit([...digits].map(Number));
    if (last === null) continue;
    if (left === 0) return `${digits}${last}`;
    left -= 1;
  }
  throw new Error(`there is no IIN of ${birthDate} with the serial ${serial}`);
}
