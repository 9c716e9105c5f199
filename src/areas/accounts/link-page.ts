import { isDomainError } from '../../errors.ts';
import type { Language } from '../../http/language.ts';
import { pageHeaders } from '../../http/response/page.ts';
import { body, type Reply } from '../../http/response/reply.ts';
import type { Caller } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';

interface Asking {
  platform: Pick<Platform, 'securityLog'>;
  caller: Caller;
  language: Language;
  /** The route that uses the link, for the security event. */
  route: string;
  /** Renders the page for a link that is used, replaced or expired. */
  refused: () => string;
}

/** Answers a refused link of a mail with a page and records a security event (AUD-5). */
export async function orRefused(
  { platform, caller, language, route, refused }: Asking,
  work: () => Promise<Reply<never>>,
): Promise<Reply<never>> {
  try {
    return await work();
  } catch (error) {
    if (isDomainError(error) && error.code === 'token_invalid') {
      const { ip, requestId } = caller;
      const subject = { kind: 'route', id: route };
      const anonymous = { actorId: null, impersonatedUserId: null };
      platform.securityLog.record({ action: 'reset_link.refused', ...anonymous, subject, ip, requestId, data: { code: error.code } });
      return body(refused(), pageHeaders(language), 422);
    }
    throw error;
  }
}
