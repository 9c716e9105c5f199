import { z } from 'zod';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { apiPrefix } from '../../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage, type Language } from '../../../http/language.ts';
import { cacheable, unlessUnchanged } from '../../../http/response/cacheable.ts';
import { body, pageFor, cappedPage, ok, type Reply } from '../../../http/response/reply.ts';
import { fileStatuses, sendFile } from '../../../http/response/send-file.ts';
import { cappedListMeta, downloadQuery, idParams } from '../../../http/schemas.ts';
import { query as runQuery } from '../../../platform/commands/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { uploadMimes } from '../../files/index.ts';
import { renderEvent, renderUnknownEvent } from './event-page.ts';
import { renderFeed } from './feed.ts';
import { renderCalendar } from './page.ts';
import {
  type CalendarEvent,
  findAdditionalFile,
  findPublicEvent,
  findStageFile,
  listCalendar,
  listDisciplines,
  type PublicFile,
  readCalendar,
  readPublicEvent,
} from './queries.ts';
import { filterOf, readSearch } from './search.ts';
import {
  additionalFileParams,
  calendarFeedQuery,
  calendarQuery,
  calendarResponse,
  presentCalendarEvent,
  presentPublicEvent,
  publicEventResponse,
} from './wire.ts';

const tag = 'Session, captcha, public';
// Messengers append parameters to links; unknown ones must not cause an error page.
const anyQuery = z.looseObject({});

/** Limit of the feed (EVT-11): writing an event costs far more than reading it. */
const mostInFeed = 1_000;

const notModified = { status: 304, description: 'Not changed since the response with this `ETag`' };
const fileResponse = {
  content: uploadMimes,
  otherStatuses: fileStatuses,
};

/**
 * Routes of the public calendar: events that were published, their approved documents and results. Register them before `/events/:id`,
 * which would take `public` for an id. Its pages have no scripts and suit phones and print.
 */
export const publicCalendarRoutes: Route[] = [
  defineRoute({
    name: 'listPublicEvents',
    method: 'GET',
    path: '/events/public',
    access: access.public,
    tag,
    summary: 'List published competitions by start',
    description:
      'Includes completed and cancelled competitions that were published. `meta.total` is exact up to 1,000; above that it is 1,000 and `meta.total_is_capped` is true. May be cached for 60 seconds.',
    request: { query: calendarQuery },
    response: { data: calendarResponse, meta: cappedListMeta, otherStatuses: [notModified] },
    handler: async ({ platform, query: { from, to, discipline_id: disciplineId, q: phrase, page, limit }, header }) => {
      const filter = { startsFrom: from, startsBefore: to, disciplineId, phrase };
      const { events, ...counted } = await runQuery(platform, (db) => listCalendar(db, filter, { page, limit }));
      return cacheable(cappedPage(events.map(presentCalendarEvent), counted, { page, limit }), header);
    },
  }),
  defineRoute({
    name: 'followPublicEvents',
    method: 'GET',
    path: '/events/public.ics',
    access: access.public,
    tag,
    summary: 'Get the calendar as iCalendar',
    description:
      'The first 1,000 events that match the filters; without `from` the newest 1,000 by `starts_at`. The `UID` of an event does not change. A cancelled event has `STATUS:CANCELLED`. `lang`, else `Accept-Language`, chooses the language.',
    request: { query: calendarFeedQuery },
    response: { content: ['text/calendar'], otherStatuses: [notModified] },
    handler: async ({ platform, query: { from, to, discipline_id: disciplineId, q: phrase, lang }, header }) => {
      const order = from === undefined ? 'desc' : 'asc';
      const filter = { startsFrom: from, startsBefore: to, disciplineId, phrase };
      const found = await runQuery(platform, (db) => readCalendar(db, filter, { limit: mostInFeed, order }));
      const events = order === 'desc' ? found.toReversed() : found;
      const language = chooseLanguage(lang, header('accept-language'));
      return answerFeed(platform, events, { language, disposition: 'inline; filename="events.ics"', header });
    },
  }),
  defineRoute({
    name: 'getPublicEvent',
    method: 'GET',
    path: '/events/public/:id',
    access: access.public,
    tag,
    summary: 'Get a published competition with its documents, places and results',
    description: 'An approved document has a `url`. May be cached for 60 seconds.',
    request: { params: idParams },
    response: { data: publicEventResponse, otherStatuses: [notModified] },
    handler: async ({ platform, params: { id }, header }) => {
      const found = await runQuery(platform, (db) => readPublicEvent(db, platform.extensions, id));
      if (!found) throw new DomainError('not_found');
      return cacheable(ok(presentPublicEvent(found, baseUrl(platform.config))), header);
    },
  }),
  ...(['regulations', 'results'] as const).map((stage) =>
    defineRoute({
      name: stage === 'regulations' ? 'getPublicRegulations' : 'getPublicProtocol',
      method: 'GET',
      path: `/events/public/:id/documents/${stage}`,
      access: access.public,
      tag,
      summary:
        stage === 'regulations' ? 'Get the approved regulations of a competition' : 'Get the approved final protocol of a competition',
      description: 'Each request checks the approval, also for a part of the file. 404 until the stage is approved.',
      request: { params: idParams, query: downloadQuery },
      response: fileResponse,
      errors: ['range_not_satisfiable', 'service_unavailable'],
      handler: ({ platform, params, query, header }) =>
        openFile(platform, (db) => findStageFile(db, params.id, stage), { isDownload: query.download === '1', header }),
    }),
  ),
  defineRoute({
    name: 'getPublicAdditionalDocument',
    method: 'GET',
    path: '/events/public/:id/documents/additional/:document_id',
    access: access.public,
    tag,
    summary: 'Get an approved additional document of a competition',
    description: 'Each request checks the approval, also for a part of the file.',
    request: { params: additionalFileParams, query: downloadQuery },
    response: fileResponse,
    errors: ['range_not_satisfiable', 'service_unavailable'],
    handler: ({ platform, params, query, header }) =>
      openFile(platform, (db) => findAdditionalFile(db, params.id, params.document_id), { isDownload: query.download === '1', header }),
  }),
  defineRoute({
    name: 'showCalendarPage',
    method: 'GET',
    path: '/events',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'Show the calendar of competitions',
    request: { query: anyQuery },
    response: { content: ['text/html'] },
    handler: async ({ platform, query, header }) => {
      const language = chooseLanguage(query['lang'], header('accept-language'));
      const shown = await runQuery(platform, async (db, now) => {
        const search = readSearch(query, now);
        const { order, ...filter } = filterOf(search, now);
        const { page, limit } = search;
        const [listed, disciplines] = await Promise.all([listCalendar(db, filter, { page, limit, order }), listDisciplines(db)]);
        return { ...listed, disciplines, search, now };
      });
      const root = rootOf(platform);
      const addresses = { pages: `${root}/events`, api: `${root}${apiPrefix}/events/public` };
      return cacheable(pageFor(renderCalendar(shown, addresses, language)), header);
    },
  }),
  defineRoute({
    name: 'showEventPage',
    method: 'GET',
    path: '/events/:id',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'Show the page of a published event',
    request: { params: idParams, query: anyQuery },
    response: { content: ['text/html'] },
    handler: async ({ platform, params: { id }, query: { lang }, header }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      const root = rootOf(platform);
      const shown = await runQuery(platform, async (db, now) => {
        const found = await readPublicEvent(db, platform.extensions, id);
        return found && { ...found, now };
      });
      if (!shown) return pageFor(renderUnknownEvent(`${root}/events`, language), 404);
      const { documents } = presentPublicEvent(shown, root);
      return cacheable(pageFor(renderEvent({ ...shown, documents }, `${root}/events`, language, lang === language)), header);
    },
  }),
  defineRoute({
    name: 'addEventToCalendar',
    method: 'GET',
    path: '/events/:id/calendar.ics',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    tag,
    summary: 'Download a published event as iCalendar',
    request: { params: idParams, query: anyQuery },
    response: { content: ['text/calendar'] },
    handler: async ({ platform, params: { id }, query: { lang }, header }) => {
      const language = chooseLanguage(lang, header('accept-language'));
      const event = await runQuery(platform, (db) => findPublicEvent(db, id));
      if (!event) return pageFor(renderUnknownEvent(`${rootOf(platform)}/events`, language), 404);
      return answerFeed(platform, [event], { language, disposition: `attachment; filename="event-${id}.ics"`, header });
    },
  }),
];

/** @throws {DomainError} not_found, also for a document that is not public; errors of `sendFile` */
async function openFile(
  platform: Platform,
  find: (db: Database) => Promise<PublicFile | null>,
  { isDownload, header }: { isDownload: boolean; header: (name: string) => string | undefined },
): Promise<Reply<never>> {
  const found = await runQuery(platform, find);
  if (!found) throw new DomainError('not_found');
  const { storageKey: key, ...file } = found;
  return sendFile({ storage: platform.storage, key, ...file, download: isDownload, header });
}

/** Answers events as iCalendar, or 304 when the client has the current version. */
function answerFeed(
  { config }: Pick<Platform, 'config'>,
  events: readonly CalendarEvent[],
  { language, disposition, header }: { language: Language; disposition: string; header: (name: string) => string | undefined },
): Promise<Reply<never>> {
  const vary = 'Accept-Language';
  const headers = { 'Content-Type': 'text/calendar; charset=utf-8', 'Content-Disposition': disposition, Vary: vary };
  const write = async () => body(await renderFeed(events, { language, baseUrl: baseUrl(config) }), headers);
  return unlessUnchanged(JSON.stringify([language, events]), header, write, vary);
}

/** Returns the path prefix of the site, empty without a proxy folder. Links name no host, so pages work under every host name. */
function rootOf(platform: Pick<Platform, 'config'>): string {
  return new URL(baseUrl(platform.config)).pathname.replace(/\/$/, '');
}
