import { messageOf } from '../embedded/errors.ts';
import { DemoFailure } from './client.ts';

/** The form in the answer of `POST /invoices/{id}/checkout`. */
interface BankForm {
  action: string;
  fields: Record<string, string>;
}

/** Pays on the bank's page like a browser: posts the form, then presses the first button. */
export async function payAtBank({ action, fields }: BankForm): Promise<void> {
  const page = await postForm(action, fields);
  const button = firstForm(page);
  if (button === null) throw new DemoFailure(`the page at ${action} has no button to pay; the demo needs the bank simulator`);
  await postForm(new URL(button.action, action).href, button.fields);
}

async function postForm(url: string, fields: Record<string, string>): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  } catch (error) {
    throw new DemoFailure(`POST ${url} was not answered: ${messageOf(error)}`);
  }
  const answer = await response.text();
  if (!response.ok) throw new DemoFailure(`POST ${url} answered ${response.status}: ${answer.slice(0, 2000)}`);
  return answer;
}

/** Returns the address and the hidden fields of a page's first form. */
function firstForm(page: string): BankForm | null {
  const [, action, content] = /<form method="post" action="([^"]+)">(.*?)<\/form>/s.exec(page) ?? [];
  if (action === undefined || content === undefined) return null;
  const fields: Record<string, string> = {};
  for (const [, name = '', value = ''] of content.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)) fields[name] = value;
  return { action, fields };
}
