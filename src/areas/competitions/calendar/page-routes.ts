import { z } from 'zod';
import { baseUrl } from '../../../config.ts';
import { access } from '../../../http/access/access.ts';
import { apiPrefix } from '../../../http/api-prefix.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage } from '../../../http/language.ts';
import { cacheable } from '../../../http/response/cacheable.ts';
import { pageHeaders } from '../../../http/response/page.ts';
import { body } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { query as runQuery } from '../../../platform/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { renderEvent, renderUnknownEvent } from './event-page.ts';
import { renderCalendar } from './page.ts';
import { findPublicEvent, listCalendar, listDisciplines, readPublicEvent } from './queries.ts';
import { answerFeed } from './routes.ts';
import { filterOf, readSearch } from './search.ts';
import { presentPublicEvent } from './wire.ts';

const tag = 'Session, captcha, public';
// Messengers append parameters to links; unknown ones must not cause an error page.
const anyQuery = z.looseObject({});

/** Routes of the public calendar pages (EVT-11, EVT-17): without scripts, for phones and print. */
export const publicPageRoutes: Route[] = [
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
      const search = readSearch(query);
      const language = chooseLanguage(search.language, header('accept-language'));
      const shown = await runQuery(platform, async (db, now) => {
        const { order, ...filter } = filterOf(search, now);
        const { page, limit } = search;
        const [listed, disciplines] = await Promise.all([listCalendar(db, filter, { page, limit, order }), listDisciplines(db)]);
        return { ...listed, disciplines, now };
      });
      const root = rootOf(platform);
      const addresses = { pages: `${root}/events`, api: `${root}${apiPrefix}/events/public` };
      return cacheable(body(renderCalendar({ search, ...shown }, addresses, language), pageHeaders(language, true)), header);
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
      const headers = pageHeaders(language);
      const root = rootOf(platform);
      const shown = await runQuery(platform, async (db, now) => {
        const found = await readPublicEvent(db, id);
        return found && { ...found, now };
      });
      if (!shown) return body(renderUnknownEvent(`${root}/events`, language), headers, 404);
      const { documents } = presentPublicEvent(shown.event, shown.results, root);
      return cacheable(body(renderEvent({ ...shown, documents }, `${root}/events`, language, lang === language), headers), header);
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
      if (!event) return body(renderUnknownEvent(`${rootOf(platform)}/events`, language), pageHeaders(language), 404);
      return answerFeed(platform, [event], { language, disposition: `attachment; filename="event-${id}.ics"`, header });
    },
  }),
];

/** Returns the path prefix of the site, empty without a proxy folder. Links name no host, so pages work under every host name. */
function rootOf(platform: Pick<Platform, 'config'>): string {
  return new URL(baseUrl(platform.config)).pathname.replace(/\/$/, '');
}
