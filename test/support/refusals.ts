import type { Answer } from './client.ts';

/** The part of an answer that tells a refusal, for `toMatchObject`. */
export const refusal = (status: number, code: string, details?: unknown) => ({
  status,
  body: { error: { code, ...(details !== undefined && { details }) } },
});

/** An answer in short: `403 forbidden`, `200`. */
export const codeOf = ({ status, body }: Answer) => `${status} ${body?.error?.code ?? ''}`.trim();

/** The problems of a request that is not valid, as `body.name required`, sorted. */
export function problemsOf(answer: Answer): string[] {
  expect(answer).toMatchObject(refusal(422, 'validation_failed'));
  return answer.body.error.details.fields.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).toSorted();
}

/** The wrong fields of a request that is not valid, sorted. */
export const wrongFieldsOf = (answer: Answer): string[] => problemsOf(answer).map((problem) => problem.split(' ')[0] ?? '');
