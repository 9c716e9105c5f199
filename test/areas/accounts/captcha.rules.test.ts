import sharp from 'sharp';
import { captchaAlphabet, drawCaptcha, pickCaptchaText } from '../../../src/areas/accounts/captcha/issue-captcha.ts';
import { hashCaptchaAnswer } from '../../../src/areas/accounts/captcha/use-captcha.ts';

test('a text has five characters that stay distinct (ACC-5)', () => {
  for (let round = 0; round < 200; round += 1) {
    const text = pickCaptchaText();
    expect(text).toHaveLength(5);
    expect([...text].every((character) => captchaAlphabet.includes(character))).toBe(true);
  }
  expect(captchaAlphabet).not.toMatch(/[0OQ1IL2Z5S6G8BUV]/);
});

test('a picture is a PNG with dark strokes on white', async () => {
  const png = await drawCaptcha('ACDEF');
  const { format, width, height, hasAlpha } = await sharp(png).metadata();
  expect({ format, width, height, hasAlpha }).toEqual({ format: 'png', width: 200, height: 70, hasAlpha: false });
  const { channels } = await sharp(png).stats();
  expect([channels[0]?.max, (channels[0]?.min ?? 255) < 100]).toEqual([255, true]);
});

test('two pictures of one text differ', async () => {
  expect((await drawCaptcha('ACDEF')).equals(await drawCaptcha('ACDEF'))).toBe(false);
});

test('an answer matches in any case and with blanks around it, for its own captcha and secret only', () => {
  const hash = hashCaptchaAnswer('secret', 'one', 'ACDEF');
  expect(hashCaptchaAnswer('secret', 'one', ' acdef ')).toBe(hash);
  expect([
    hashCaptchaAnswer('secret', 'two', 'ACDEF'),
    hashCaptchaAnswer('other', 'one', 'ACDEF'),
    hashCaptchaAnswer('secret', 'one', 'ACDEH'),
  ]).not.toContain(hash);
});
