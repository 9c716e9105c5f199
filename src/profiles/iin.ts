const firstWeights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const secondWeights = [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2];

/** Whether a text is an individual identification number of Kazakhstan: 12 digits, the last of which checks the others. */
export function isIin(text: string): boolean {
  if (!/^\d{12}$/.test(text)) return false;
  const digits = [...text].map(Number);
  return checkDigit(digits.slice(0, 11)) === digits[11];
}

/** The twelfth digit for the first eleven; null when no number begins with these. */
export function checkDigit(digits: number[]): number | null {
  for (const weights of [firstWeights, secondWeights]) {
    const remainder = weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0) % 11;
    if (remainder < 10) return remainder;
  }
  return null;
}
