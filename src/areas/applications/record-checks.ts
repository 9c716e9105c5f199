import { z } from 'zod';
import { recordCheck, type RecordCheck } from '../../http/record-check.ts';
import { idParams } from '../../http/schemas.ts';
import type { CommandContext } from '../../platform/context.ts';
import { checkDiscipline, findServiceOnSale, priceOf, takeDocuments } from './application-content.ts';
import { checkServiceFits, findOwnProfile } from './create-application.ts';
import type { Application } from './entities.ts';
import { requireOwner } from './policy.ts';
import { findApplicationRow } from './queries.ts';
import { checkNewData } from './update-application.ts';
import { createBody, quoteBody, updateBody } from './wire.ts';

const { profile_id: profileId, service_id: serviceId, document_ids: documentIds } = createBody.shape;
const { insurance_territory: territory, discipline_id: disciplineId } = createBody.shape.data.def.innerType.shape;

/** Checks that the service is on sale, also for the territory. */
export const quoteChecks: readonly RecordCheck[] = [
  recordCheck({ body: { service_id: quoteBody.shape.service_id } }, (ctx, { body }) => findServiceOnSale(ctx.db, body.service_id)),
  recordCheck({ body: { service_id: serviceId, data: z.object({ insurance_territory: territory }).prefault({}) } }, async (ctx, { body }) =>
    priceOf(ctx.db, ctx.now, await findServiceOnSale(ctx.db, body.service_id), body.data.insurance_territory),
  ),
];

/** Checks all records that `createApplication` checks: also discipline, profile and documents. */
export const createChecks: readonly RecordCheck[] = [
  ...quoteChecks,
  recordCheck({ body: { service_id: serviceId, data: z.object({ discipline_id: disciplineId }).prefault({}) } }, async (ctx, { body }) =>
    checkDiscipline(await findServiceOnSale(ctx.db, body.service_id), body.data.discipline_id ?? null),
  ),
  recordCheck({ body: { service_id: serviceId, profile_id: profileId } }, async (ctx, { body }) =>
    checkServiceFits(await findServiceOnSale(ctx.db, body.service_id), await findOwnProfile(ctx, body.profile_id)),
  ),
  recordCheck({ body: { profile_id: profileId, document_ids: documentIds } }, async (ctx, { body }) =>
    takeDocuments(ctx, (await findOwnProfile(ctx, body.profile_id)).id, body.document_ids),
  ),
];

const changedData = updateBody.shape.data.unwrap().shape;

/** Checks the records that `updateApplication` checks. */
export const updateChecks: readonly RecordCheck[] = [
  recordCheck({ params: idParams.shape, body: { document_ids: documentIds } }, async (ctx, { params, body }) =>
    takeDocuments(ctx, (await findOwn(ctx, params.id)).profileId, body.document_ids),
  ),
  recordCheck(
    { params: idParams.shape, body: { data: z.object({ discipline_id: changedData.discipline_id }) } },
    async (ctx, { params, body }) => checkNewData(ctx, await findOwn(ctx, params.id), body.data),
  ),
  recordCheck(
    { params: idParams.shape, body: { data: z.object({ insurance_territory: changedData.insurance_territory }) } },
    async (ctx, { params, body }) => checkNewData(ctx, await findOwn(ctx, params.id), body.data),
  ),
];

async function findOwn(ctx: CommandContext, id: number): Promise<Readonly<Application>> {
  return requireOwner(ctx.actor, await findApplicationRow(ctx.db, id));
}
