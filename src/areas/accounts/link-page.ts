import { isDomainError } from '../../errors.ts';
import type { Language } from '../../http/language.ts';
import { type Page, renderVerdict } from '../../http/response/page.ts';
import { pageFor, type Reply } from '../../http/response/reply.ts';
import type { UnrecordedCaller } from '../../platform/commands/context.ts';
import type { Platform } from '../../platform/platform.ts';

interface Asking {
  platform: Pick<Platform, 'securityLog'>;
  caller: UnrecordedCaller;
  language: Language;
  /** The route that uses the link, for the security event. */
  route: string;
  texts: Pick<LinkTexts, 'title' | 'refused'>;
  /** Query of the page's address, for links to its other languages; null without one (`Page`). */
  pageQuery: string | null;
}

/** The texts of a link's pages: of one that worked, and of one that is used, replaced or expired. */
interface LinkTexts {
  title: string;
  done: { heading: string; text: string };
  refused: { heading: string; text: string };
}

/** Renders the page for a link that worked. */
export function renderDone(language: Language, { title, done }: LinkTexts): Page {
  return { language, title, content: renderVerdict('valid', done.heading, done.text), query: null };
}

/** Answers a link of a mail: with the reply of `work`, or with a page and a security event when the link is refused (AUD-5). */
export async function answerLink(
  { platform, caller, language, route, texts: { title, refused }, pageQuery }: Asking,
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
      const content = renderVerdict('problem', refused.heading, refused.text);
      return pageFor({ language, title, content, query: pageQuery }, 422);
    }
    throw error;
  }
}
