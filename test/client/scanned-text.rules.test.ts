import { readScannedText } from '../../client/src/index.ts';

test.each(['', '.', '».', ') ', ':;]>'])('reads the link of a QR that a text ends with %j', (end) => {
  const page = { origin: 'https://registry.example.kz', path: `/v/${'A'.repeat(43)}` };
  const link = `${page.origin}${page.path}`;
  expect(readScannedText(`${link}${end}`)).toEqual({ page, credential: null });
  expect(readScannedText(`${link}#0oRDoQEn${end}`)).toEqual({ page, credential: '0oRDoQEn' });
  expect(readScannedText(`0oRDoQEn${end}`)).toEqual({ page: null, credential: '0oRDoQEn' });
});
