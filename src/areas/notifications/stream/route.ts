import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { networkOf } from '../../../http/request/client-address.ts';
import { body } from '../../../http/response/reply.ts';
import { accountableUserId } from '../../../platform/commands/context.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import { notificationResponse } from '../inbox/wire.ts';
import { streamSubjects } from './read-stream-events.ts';

const description = `Server-sent events, for \`EventSource\` of a browser. Each has an \`id\`, which grows within the account:

| event | data |
|---|---|
| \`notification\` | a notification as in \`GET /notifications\` (\`Notification\`), in the account's language |
| \`message\` | a message to the account in the messenger or the chat, as in its conversation |
| \`reset\` | \`{}\`: events after \`Last-Event-ID\` were deleted (after 7 days); read the lists again |
| \`reconnect\` | \`{}\`: this API process stops and ends the stream; connect again after \`retry\`, as \`EventSource\` does |

Without \`Last-Event-ID\` the stream starts with new events. It first sends the \`id\` of its start position, so that a client that is disconnected before its first event misses nothing. With \`Last-Event-ID\` the stream first sends all later events. A value that is no number, or not of this account, counts as absent; \`0\` is before all events. The server sends a comment every 15 seconds. The stream ends within five seconds of the end of its session, and when an impersonation begins or ends. The streams of a session are limited, those of an account to five times as many, and those of an address: 429 \`rate_limited\` with \`limit\`. A client that does not read for 30 seconds is disconnected. The request id is only in the header \`X-Request-Id\`.`;

/** Route of the live stream (NOT-5). */
export function streamRoute(extensions: Extensions): Route {
  const subjects = extensions.of(streamSubjects).map(({ kind, shape = z.unknown() }) => [kind, shape] as const);
  return defineRoute({
    name: 'streamNotifications',
    method: 'GET',
    path: '/notifications/stream',
    access: access.inBrowser(access.scope('notifications:read')),
    tag: 'Notifications, messenger, chat',
    summary: 'Stream the notifications and messages of the account',
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
