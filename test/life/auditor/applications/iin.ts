const firstWeights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const secondWeights = [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2];

/** Whether a text is an individual identification number: twelve digits, the last one a checksum of the others (PRO-4). */
export function isIin(text: string): boolean {
  return /^\d{12}$/.test(text) && checkDigitOf(text) === Number(text[11]);
}

/** The twelfth digit for the first eleven of a text; null where no number begins with them. */
export function checkDigitOf(digits: string): number | null {
  for (const weights of [firstWeights, secondWeights]) {
    const rest = weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0) % 11;
    if (rest < 10) return rest;
  }
  return null;
}
