import { useState } from 'react';
import { useAdministrator } from './session.tsx';

/** A text that outlives the end of a session and a reload of the tab; of this administrator alone. @param name of what is written about */
export function useDraft(name: string): [text: string, write: (text: string) => void] {
  const { id } = useAdministrator();
  const key = `draft:${id}:${name}`;
  const [draft, setDraft] = useState({ key, text: sessionStorage.getItem(key) ?? '' });
  const text = draft.key === key ? draft.text : (sessionStorage.getItem(key) ?? '');
  return [
    text,
    (next) => {
      if (next === '') sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
      setDraft({ key, text: next });
    },
  ];
}
