// @ts-nocheck: its types exist only where the test puts it, without this line, beside the types it generates.
import createClient from 'openapi-fetch';
import { readFile } from 'node:fs/promises';
import type { paths } from './api.ts';

/**
 * The first steps of the main job as a client's program takes them, with types generated from the published document:
 * `node program.ts <address> <key> <photo> <scan>` prints what it made as JSON.
 */
const [baseUrl = '', key = '', photo = '', scan = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const photoFile = await upload('photo', photo, 'image/jpeg');
const athlete = {
  last_name: 'Әбдіқадырұлы',
  first_name: 'Ғалым',
  birth_date: '1990-05-17',
  gender: 'male',
  citizenship: 'KZ',
} as const;
const made = await client.POST('/profiles', { body: { kind: 'athlete', data: athlete, photo_id: photoFile.id } });
const profile = given(made);

const documents = [await addDocument('identity'), await addDocument('medical')];
const submitted = given(await client.POST('/profiles/{id}/submit', { params: { path: { id: profile.id } } }));

const { services } = given(await client.GET('/catalog', { params: { query: { kind: 'service' } } }));
const service = services.find(({ id }) => id === 1);
const application = given(
  await client.POST('/applications', {
    body: {
      profile_id: profile.id,
      service_id: 1,
      document_ids: documents.map(({ id }) => id),
      data: { insurance_territory: 'KZ', sport: 'Автоспорт' },
    },
  }),
);
const path = { id: application.id };
const applied = given(
  await client.POST('/applications/{id}/submit', { params: { path, header: { 'Idempotency-Key': 'submit-by-a-typed-client' } } }),
);
const rules = given(await client.GET('/applications/{id}/readiness', { params: { path } }));
const refused = await client.POST('/applications/{id}/pay', { params: { path } });

process.stdout.write(
  JSON.stringify({
    profile: { id: profile.id, status: submitted.status, location: made.response.headers.get('location') },
    documents: documents.map(({ id, type, status }) => ({ id, type, status })),
    service: service?.code ?? null,
    application: { id: applied.id, status: applied.status, amount: applied.amount_minor },
    missing: rules.filter(({ ok }) => !ok).map(({ rule, fix }) => ({ rule, fix: fix?.path ?? null })),
    refusal: refused.error?.error.code,
  }),
);

async function addDocument(type: 'identity' | 'medical') {
  const file = await upload('document', scan, 'application/pdf');
  const body = { profile_id: profile.id, type, file_id: file.id, number: 'N77654321', country: 'KZ', issued_at: '2024-01-10' } as const;
  return given(await client.POST('/documents', { body }));
}

async function upload(purpose: 'photo' | 'document', name: string, type: string) {
  const content = new Blob([new Uint8Array(await readFile(name))], { type });
  return given(
    await client.POST('/files', {
      body: { purpose, file: content },
      bodySerializer(fields) {
        const form = new FormData();
        form.set('purpose', fields.purpose);
        form.set('file', fields.file, name.slice(name.lastIndexOf('/') + 1));
        return form;
      },
    }),
  );
}

/** `data` of an answer; a refusal ends the program. */
function given<Data>(answer: { data?: { data: Data }; error?: unknown }): Data {
  if (answer.data === undefined) throw new Error(`refused: ${JSON.stringify(answer.error)}`);
  return answer.data.data;
}
