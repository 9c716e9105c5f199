/** Five characters that every captcha takes in tests (CAPTCHA_FIXED_ANSWER). */
export const captchaAnswer = 'TEST5';
