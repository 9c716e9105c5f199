import { AppShell, Burger, Group, NavLink, Select, Switch, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type Language, languages, useLanguage } from './language.tsx';
import { SessionGate } from './session.tsx';

/** The sections in the order of a day, by path below `/desk`. */
const sections = [['/', 'overview']] as const;

/** What every page has around it: the sections, the language, the theme; on a phone behind a button. */
export function Shell() {
  const { words } = useLanguage();
  const { pathname } = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <SessionGate>
      <AppShell header={{ height: 44 }} navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isOpen } }} padding="md">
        <AppShell.Header>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={words.title} />
              <Text fw={600}>{words.title}</Text>
            </Group>
            <Settings />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs">
          {sections.map(([path, name]) => (
            <NavLink
              key={path}
              renderRoot={(props) => <Link to={path} {...props} />}
              label={words.sections[name]}
              active={pathname === path}
              onClick={close}
            />
          ))}
        </AppShell.Navbar>
        <AppShell.Main>
          <Outlet />
        </AppShell.Main>
      </AppShell>
    </SessionGate>
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
        w={110}
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
