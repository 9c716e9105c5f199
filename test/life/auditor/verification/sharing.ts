import { actsAsAdministrator } from '../accounts/scopes.ts';
import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import { documentsOf, serviceOf } from '../applications/readiness.ts';
import { createHash } from 'node:crypto';
import type { Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Application, Document } from '../applications/application-records.ts';
import { dayOf } from '../days.ts';
import { type Model, ownerOf } from '../model.ts';
import { stateOn } from './verification.ts';

const sharing = 'PUT /applications/{id}/sharing';
const list = 'GET /verify/{token}/documents';
const link = 'GET /verify/{token}/documents/{n}';

interface Consent {
  enabled: boolean;
  confirmed?: boolean;
}

/** The documents of international licences that owners show to readers of the QR, by VER-6, APP-15 and OWN-4. */
export const sharingArea: Area = {
  judge: (model, asked) => (asked.operation === sharing ? judgeConsent(model, asked) : null),

  saw(model, exchange) {
    if (exchange.operation === 'PUT /admin/profiles/{id}/owner') return endConsents(model, exchange);
    if (exchange.operation !== sharing) return [];
    const application = model.applications.get(Number(exchange.params['id']));
    return application ? consent(model, application, exchange, (exchange.body as Consent).enabled) : [];
  },

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'application')) {
      const application = inquiry.model.applications.get(id);
      if (application?.certificate && isLicence(inquiry.model, application)) await askShown(inquiry, application);
    }
  },

  async askAll(inquiry) {
    for (const application of inquiry.model.applications.values()) if (application.certificate) await askShown(inquiry, application);
  },
};

/** Anybody with the QR reads the list and its links while there is something to show (VER-6). */
export function judgeShared(model: Model, { operation, params }: Asked, now: Date): Judgement {
  const application = [...model.applications.values()].find(({ certificate }) => certificate?.token === params['token']);
  const shown = application ? shownDocuments(model, application, dayOf(now)) : [];
  return shown.length >= (operation === list ? 1 : Number(params['n'])) ? 'accept' : refuse('not_found');
}

/** Only the owner consents, in person and with an explicit confirmation, for an approved licence (APP-15). Anybody who acts for the owner may end it. */
function judgeConsent(model: Model, { params, body, by }: Asked): Judgement {
  const application = model.applications.get(Number(params['id']));
  const { enabled, confirmed } = body as Consent;
  if (!application) return refuse('not_found');
  if (ownerOf(model, application.profileId) !== by.accountId)
    return actsAsAdministrator(model, by) ? refuse('forbidden') : refuse('not_found');
  if (!enabled) return 'accept';
  if (by.administratorId !== null) return refuse('forbidden_while_impersonating');
  if (confirmed !== true) return refuse('validation_failed');
  return isLicence(model, application) && application.status === 'approved' ? 'accept' : refuse('sharing_not_available');
}

/** @returns the application, when its consent is another one now */
function consent(model: Model, application: Application, exchange: Exchange, isShared: boolean): Touched[] {
  if (application.isShared === isShared) return [];
  application.isShared = isShared;
  const { id } = application;
  model.noted(exchange, `application.sharing_${isShared ? 'enabled' : 'disabled'}`, 'application', id);
  model.shown.changed(`application/${id}`);
  return [{ kind: 'application', id }];
}

/** A transfer ends the consent (OWN-4). */
function endConsents(model: Model, exchange: Exchange): Touched[] {
  const profileId = Number(exchange.params['id']);
  const moved = [...model.applications.values()].filter((one) => one.profileId === profileId);
  return moved.flatMap((application) => consent(model, application, exchange, false));
}

function isLicence(model: Model, application: Application): boolean {
  return serviceOf(model, application).kind === 'international_licence';
}

/** What anybody with the QR may open: the approved documents of a valid licence while its owner consents (VER-6). */
function shownDocuments(model: Model, application: Application, day: string): Document[] {
  const isOpen = application.isShared && isLicence(model, application) && stateOn(model, application, day) === 'valid';
  if (!isOpen) return [];
  return documentsOf(model, application)
    .filter(({ status }) => status === 'approved')
    .toSorted((left, right) => left.id - right.id);
}

async function askShown(inquiry: Inquiry, application: Application): Promise<void> {
  const { model, publicly, same, eventually } = inquiry;
  const { id } = application;
  const token = application.certificate?.token ?? '';
  if (token === '') return;
  await eventually(async () => {
    const expected = shownDocuments(model, application, inquiry.today);
    const { data: answer } = await publicly('GET /verify/{token}', { params: { token } });
    same(`the QR of application ${id} says whether its owner shares the documents`, application.isShared, answer.documents_access);
    const { status, data } = await publicly(list, { params: { token } });
    same(
      `anybody reads the documents of application ${id} while it is valid and its owner consents (VER-6)`,
      expected.length > 0,
      status === 200,
    );
    const [first] = expected;
    const opened = await publicly(link, { params: { token, n: 1 } });
    same(`the link of a document of application ${id} opens under the same condition (VER-6)`, first !== undefined, opened.status === 200);
    if (!first) return;
    const rows = data.documents as { type: string; expires_at: string | null; content_type: string }[];
    same(
      `the shared documents of application ${id} are those behind it (VER-6)`,
      // Transfers make the auditor forget files that profiles shared (OWN-6).
      expected.map(({ type, expiresAt, fileId }, n) => [type, expiresAt, model.files.get(fileId)?.mime ?? rows[n]?.content_type]),
      rows.map(({ type, expires_at: expiresAt, content_type: mime }) => [type, expiresAt, mime]),
    );
    const sha256 = createHash('sha256').update(opened.bytes).digest('hex');
    const file = model.files.get(first.fileId);
    if (file) same(`the first link of application ${id} opens its first document (VER-6)`, file.sha256, sha256);
    const beyond = await publicly(link, { params: { token, n: expected.length + 1 } });
    same(`no link of application ${id} opens anything else (VER-6)`, 404, beyond.status);
  });
}
