/** A reason why the demo cannot go on, in words for the person at the terminal; no stack trace is shown for it. */
export class DemoFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DemoFailure';
  }
}

/** What was sent and what came back, for a request that the demo did not expect to fail. */
export interface FailedRequest {
  method: string;
  url: string;
  sent: unknown;
  /** Null without an answer. */
  status: number | null;
  answer: string;
}

/** A step's request was refused or not answered. The message shows the request; passwords and captcha answers are left out. */
export class RequestFailure extends DemoFailure {
  constructor({ method, url, sent, status, answer }: FailedRequest) {
    const lines = [
      `${method} ${url} ${status === null ? 'was not answered' : `answered ${status}`}`,
      ...(sent === undefined ? [] : [`  sent:     ${JSON.stringify(sent, withoutSecrets)}`]),
      `  answered: ${answer.slice(0, 2000)}`,
    ];
    super(lines.join('\n'));
    this.name = 'RequestFailure';
  }
}

const secretFields = new Set(['password', 'captcha_answer']);

function withoutSecrets(name: string, value: unknown): unknown {
  return secretFields.has(name) ? '***' : value;
}
