const firstWeights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const secondWeights = [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2];

/** Whether a text is an individual identification number of Kazakhstan: 12 digits, the last of which checks the others. */
export function isIin(text: string): boolean {
  if (!/^\d{12}$/.test(text)) return false;
  const digits = [...text].map(Number);
  return checkDigit(digits.slice(0, 11)) === digits[11];
}

/** What the seventh digit says: the century of birth and the gender. */
const centuries = { '1': '18', '2': '18', '3': '19', '4': '19', '5': '20', '6': '20' } as const;

/**
 * Whether an IIN is one of somebody born on that day: its first six digits are the day, YYMMDD, its seventh the century.
 * @param birthDate `YYYY-MM-DD`
 */
export function isIinOfBirthDate(iin: string, birthDate: string): boolean {
  const century = centuryOf(iin);
  return century !== null && `${century}${iin.slice(0, 6)}` === birthDate.replaceAll('-', '');
}

/** Whether an IIN is one of that gender: the seventh digit is odd for men. */
export function isIinOfGender(iin: string, gender: 'male' | 'female'): boolean {
  return centuryOf(iin) !== null && Number(iin[6]) % 2 === (gender === 'male' ? 1 : 0);
}

function centuryOf(iin: string): string | null {
  const digit = iin[6] ?? '';
  return digit in centuries ? centuries[digit as keyof typeof centuries] : null;
}

/** The twelfth digit for the first eleven; null when no number begins with these. */
export function checkDigit(digits: number[]): number | null {
  for (const weights of [firstWeights, secondWeights]) {
    const remainder = weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0) % 11;
    if (remainder < 10) return remainder;
  }
  return null;
}
