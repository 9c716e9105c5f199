import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { networkOf } from '../../../http/request/client-address.ts';
import { body } from '../../../http/response/reply.ts';
import { accountableUserId } from '../../../platform/context.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import { notificationResponse } from '../inbox/wire.ts';
import { streamSubjects } from './subjects.ts';

const description = `Server-sent events, for \`EventSource\` of a browser. Each has an \`id\`, which grows within the account:

| event | data |
|---|---|
| \`notification\` | what \`GET /notifications\` shows of it (\`Notification\`), in the account's language |
| \`message\` | a message that was written to the account in the messenger or the chat, as the conversation shows it |
| \`reset\` | \`{}\`: what came after \`Last-Event-ID\` is not kept any more (7 days); read the lists again |
| \`reconnect\` | \`{}\`: the process stops and ends the stream; connect again after the time in \`retry\`, as \`EventSource\` does |

Without \`Last-Event-ID\` nothing is told again; the stream begins with the \`id\` of the place where it stands, so that a client that is cut off before its first event misses nothing either. With it all that came after is told first. One that is no number or not the account's counts as absent; \`0\` stands before all that was ever told. A comment is sent every 15 seconds. The stream ends within five seconds of the end of its session, and when an impersonation begins or ends; how many a session may have at a time is limited, and so are the account's number, at five times as many, and that of the client's address (429 \`rate_limited\`, with the limit). A client that reads nothing for half a minute is cut off. The id of the request is in \`X-Request-Id\` alone.`;

/** Route of the live stream (NOT-5). */
export function streamRoute(extensions: Extensions): Route {
  const subjects = extensions.of(streamSubjects).map(({ kind, shape = z.unknown() }) => [kind, shape] as const);
  return defineRoute({
    name: 'streamNotifications',
    method: 'GET',
    path: '/notifications/stream',
    access: access.inBrowser(access.scope('notifications:read')),
    tag: 'Notifications, messenger, chat',
    summary: 'What the account is told, live',
    description,
    response: {
      content: ['text/event-stream'],
      events: { notification: notificationResponse, ...Object.fromEntries(subjects), reset: z.object({}), reconnect: z.object({}) },
    },
    errors: ['rate_limited'],
    async handler({ principal, caller, platform, header }) {
      const { user, by } = principal;
      if (by.kind !== 'session') throw new DomainError('browser_session_required');
      const accountable = accountableUserId(caller.actor) ?? user.id;
      const viewer = {
        sessionId: by.session.id,
        userId: user.id,
        accountableUserId: accountable,
        requestId: caller.requestId,
        network: networkOf(caller.ip),
      };
      const stream = await platform.streams.open(viewer, header('last-event-id'));
      // Stops proxies from buffering the events.
      return body(stream, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    },
  });
}
