import { Kbd, Modal, Switch, Table } from '@mantine/core';
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useLanguage } from './language.tsx';

interface Key {
  /** A small Latin letter, `/` or `?`; by its place on the keyboard, so that it works in each layout. */
  key: string;
  /** What it does. */
  text: string;
  run(): void;
}

/** The keys of what is on the screen, for the list behind `?`. */
const offered = new Set<readonly Key[]>();
const storageKey = 'desk-keys';

/** Offers keys while the component is on the screen, as soon as it is seen. They rest in fields and dialogs. */
export function useKeys(keys: readonly Key[]): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || areOff() || isTaken(event.target)) return;
    const found = keys.find(({ key }) => isPressed(event, key));
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
  useLayoutEffect(() => {
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  useEffect(() => {
    offered.add(keys);
    return () => void offered.delete(keys);
  }, [keys]);
}

/** Lists the keys of the page at `?`, and turns them off (WCAG 2.1.4). */
export function KeysHelp() {
  const { words } = useLanguage();
  const [isOpen, setIsOpen] = useState(false);
  const [isOff, setIsOff] = useState(areOff);
  useKeys([{ key: '?', text: words.keys.help, run: () => setIsOpen(true) }]);
  return (
    <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={words.keys.title} closeButtonProps={{ 'aria-label': words.close }}>
      <Table mb="md">
        <Table.Tbody>
          {[...offered].flat().map(({ key, text }) => (
            <Table.Tr key={key}>
              <Table.Td w={48}>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch
        label={words.keys.on}
        checked={!isOff}
        onChange={({ currentTarget }) => {
          localStorage.setItem(storageKey, currentTarget.checked ? 'on' : 'off');
          setIsOff(!currentTarget.checked);
        }}
      />
    </Modal>
  );
}

function areOff(): boolean {
  return localStorage.getItem(storageKey) === 'off';
}

function isTaken(target: EventTarget | null): boolean {
  const isField = target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
  return isField || document.querySelector('[role=dialog]') !== null;
}

function isPressed({ code, key, shiftKey }: KeyboardEvent, wanted: string): boolean {
  if (wanted === '/') return key === '/' || (code === 'Slash' && !shiftKey);
  if (wanted === '?') return key === '?' || (code === 'Slash' && shiftKey);
  return code === `Key${wanted.toUpperCase()}` && !shiftKey;
}
