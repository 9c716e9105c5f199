import {
  Affix,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  Paper,
  Select,
  Switch,
  Text,
  TextInput,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { KeysHelp, useKeys } from './keys.tsx';
import { useLanguage } from './language.tsx';
import { type Language, languages } from './texts.ts';
import { overviewQuery } from './queries.ts';
import { fromBrowser, registry } from './registry.ts';
import { SessionGate, useAdministrator, useSessionChange } from './session.tsx';

/** The sections in the order of a day, by path below `/desk`. */
const sections = [
  ['/', 'overview'],
  ['/queue', 'queue'],
  ['/search', 'search'],
  ['/people', 'people'],
  ['/athletes', 'athletes'],
  ['/chats', 'chats'],
  ['/national', 'national'],
  ['/processes', 'processes'],
  ['/catalogue', 'catalogue'],
  ['/signing', 'signing'],
  ['/audit', 'audit'],
] as const;

const announcedMs = 6000;
const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/** Says the outcome of an action in a corner, and to screen readers. */
export function useAnnounce(): (text: string) => void {
  return useContext(AnnounceContext);
}

/** What every page has around it: the sections, the search, the language, the theme; on a phone behind a button. */
export function Shell() {
  return (
    <SessionGate>
      <Frame />
    </SessionGate>
  );
}

function Frame() {
  const { words, number } = useLanguage();
  const { pathname } = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const { queue = {} } = useQuery({ ...overviewQuery, throwOnError: false }).data?.data ?? {};
  const waiting = Object.values(queue).reduce((sum, count) => sum + count, 0);
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    if (announced === '') return undefined;
    const timer = setTimeout(() => setAnnounced(''), announcedMs);
    return () => clearTimeout(timer);
  }, [announced]);
  return (
    <AnnounceContext value={setAnnounced}>
      <AppShell header={{ height: 44 }} navbar={{ width: 190, breakpoint: 'sm', collapsed: { mobile: !isOpen } }} padding="md">
        <AppShell.Header>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={words.menu} />
              <Text fw={600}>{words.title}</Text>
            </Group>
            <SearchField />
            <Settings />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs" component="nav" aria-label={words.menu}>
          {sections.map(([path, name]) => (
            <NavLink
              key={path}
              renderRoot={(props) => <Link to={path} {...props} />}
              label={words.sections[name]}
              rightSection={name === 'queue' && waiting > 0 ? <Text size="xs">{number(waiting)}</Text> : null}
              active={path === '/' ? pathname === '/' : pathname.startsWith(path)}
              onClick={close}
            />
          ))}
          <Account />
        </AppShell.Navbar>
        <AppShell.Main>
          <Outlet />
        </AppShell.Main>
      </AppShell>
      <KeysHelp />
      <Affix position={{ bottom: 16, right: 16 }} role="status">
        {announced !== '' && (
          <Paper withBorder shadow="sm" px="md" py="xs">
            <Text size="sm">{announced}</Text>
          </Paper>
        )}
      </Affix>
    </AnnounceContext>
  );
}

/** Searches everything; `/` leads into it. */
function SearchField() {
  const { words } = useLanguage();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  useKeys([{ key: '/', text: words.keys.search, run: () => field.current?.focus() }]);
  return (
    <form
      role="search"
      style={{ flex: '0 1 420px' }}
      onSubmit={(event) => {
        event.preventDefault();
        const q = field.current?.value.trim() ?? '';
        if (q !== '') void navigate({ to: '/search', search: { q } });
      }}
    >
      <TextInput ref={field} type="search" aria-label={words.sections.search} placeholder={words.searchPlaceholder} visibleFrom="sm" />
    </form>
  );
}

function Account() {
  const { words } = useLanguage();
  const { name } = useAdministrator();
  const leave = useSessionChange(() => registry.POST('/auth/logout', { params: fromBrowser }));
  return (
    <Group mt="auto" gap="xs" justify="space-between" wrap="nowrap">
      <Text size="xs" c="dimmed" truncate>
        {name}
      </Text>
      <Button
        size="compact-xs"
        variant="subtle"
        loading={leave.isPending}
        onClick={() => leave.mutate(undefined, { onSuccess: () => location.reload() })}
        style={{ flexShrink: 0 }}
      >
        {words.signIn.leave}
      </Button>
    </Group>
  );
}

function Settings() {
  const { words, language, choose } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <Group gap="sm" wrap="nowrap">
      <Select
        aria-label={words.settings.language}
        w={105}
        data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        value={language}
        allowDeselect={false}
        onChange={(value) => choose(value as Language)}
      />
      <Switch
        aria-label={words.settings.dark}
        checked={isDark}
        onChange={({ currentTarget }) => setColorScheme(currentTarget.checked ? 'dark' : 'light')}
      />
    </Group>
  );
}
