import { createTheme, type CSSVariablesResolver } from '@mantine/core';

/** Calm and dense: one line a row, system fonts, no shadows. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 8,
  defaultRadius: 'sm',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  components: {
    Table: { defaultProps: { verticalSpacing: 4, horizontalSpacing: 'xs', highlightOnHover: true } },
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    // Its `header` would be a second banner of the page.
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
  },
});

/** The library's grey of lesser texts has too little contrast (WCAG 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': 'var(--mantine-color-gray-7)' },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-dark-1)' },
});
