import { setImmediate } from 'node:timers/promises';

/** The page `/gate` in Node. */
export interface GatePage {
  /** Milliseconds between two refreshes. */
  refreshMs: number;
  /** Runs a refresh of keys and lists until the page has written its result. */
  refresh(): Promise<void>;
  /** Checks a text as if it was pasted, and closes the verdict. @returns its class, or `page` where the gate opened the registry's page */
  check(text: string): Promise<string>;
}

/** What the page needs of an element. */
class StubElement extends EventTarget {
  textContent: string | null = '';
  className = '';
  value = '';
  hidden = false;
  open = false;
  files = [];
  replaceChildren(): void {}
  focus(): void {}
  showModal(): void {
    this.open = true;
  }
  close(): void {
    this.open = false;
    this.dispatchEvent(new Event('close'));
  }
}

class StubAudio {
  readonly state = 'suspended';
  async resume(): Promise<void> {}
}

let opened = 0;

/** Opens the page's own script on a device without stored keys and lists. @param request answers the page's requests */
export async function openGatePage(origin: string, request: (path: string) => Response): Promise<GatePage> {
  const elements = new Map<string, StubElement>();
  const byId = (id: string): StubElement => {
    const element = elements.get(id) ?? new StubElement();
    elements.set(id, element);
    return element;
  };
  const [kept, cached] = [new Map<string, string>(), new Map<string, Response>()];
  const registryPage = { isOpen: false };
  const interval = { run: (): unknown => undefined, ms: 0 };
  const globals = {
    document: Object.assign(new EventTarget(), {
      documentElement: {},
      visibilityState: 'visible',
      getElementById: byId,
      querySelectorAll: () => [],
      createElement: () => new StubElement(),
    }),
    window: new EventTarget(),
    isSecureContext: true,
    location: { origin, search: '', assign: () => (registryPage.isOpen = true) },
    navigator: { languages: ['en'], serviceWorker: { controller: null, addEventListener() {}, async register() {} } },
    localStorage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) },
    caches: {
      open: async () => ({
        match: async (path: string) => cached.get(path)?.clone(),
        put: async (path: string, response: Response) => void cached.set(path, response),
      }),
    },
    AudioContext: StubAudio,
    fetch: async (path: string) => request(path),
    setInterval: (run: () => unknown, ms: number) => Object.assign(interval, { run, ms }),
  };
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true });
  // Another query makes Node run the script again, for the next device.
  await import(`${new URL('../../../client/gate/main.ts', import.meta.url).href}?device=${(opened += 1)}`);
  const [age, dialog] = [byId('age'), byId('verdict')];
  return {
    refreshMs: interval.ms,
    async refresh() {
      age.textContent = null;
      interval.run();
      while (age.textContent === null) await setImmediate();
    },
    async check(text) {
      registryPage.isOpen = false;
      byId('text').value = text;
      byId('pasted').dispatchEvent(new Event('submit', { cancelable: true }));
      while (!dialog.open && !registryPage.isOpen) await setImmediate();
      if (!dialog.open) return 'page';
      dialog.close();
      return dialog.className;
    },
  };
}
