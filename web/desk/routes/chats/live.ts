import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

const reopenMs = 10_000;

/** Reads the chats again at each message of the live stream, while the page is open. */
export function useLiveChats(): void {
  const client = useQueryClient();
  useEffect(() => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      void client.invalidateQueries({ queryKey: ['/admin/chats'] });
      void client.invalidateQueries({ queryKey: ['/admin/chats/{user_id}'] });
    };
    const open = (isAgain: boolean) => {
      source = new EventSource('/api/v1/notifications/stream');
      source.addEventListener('message', update);
      source.addEventListener('reset', update);
      // The stream tells what came since the last event of this source only.
      if (isAgain) source.addEventListener('open', update, { once: true });
      source.addEventListener('error', () => {
        // The browser reconnects by itself, except after a refusal, as when the session has ended.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(() => open(true), reopenMs);
      });
    };
    open(false);
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [client]);
}
