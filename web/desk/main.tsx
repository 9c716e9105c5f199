import '@mantine/core/styles.css';
import { createTheme, type CSSVariablesResolver, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './router.tsx';
import { queries } from './shared/queries.ts';
import { LanguageProvider } from './shared/language.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');

/** Browsers hide the attribute from scripts, and give the property (CSP 3, nonce hiding). */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Where the scroll lock of dialogs (`react-remove-scroll`) finds the nonce for its style element.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const fields = ['Button', 'TextInput', 'PasswordInput', 'Select', 'NativeSelect', 'MultiSelect', 'NumberInput', 'Textarea'];

/** Calm and dense: one line a row, system fonts, no shadows. */
const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 8,
  defaultRadius: 'sm',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  components: {
    Table: { defaultProps: { verticalSpacing: 4, horizontalSpacing: 'xs', highlightOnHover: true } },
    ...Object.fromEntries(fields.map((name) => [name, { defaultProps: { size: 'xs' } }])),
    // Its `header` would be a second banner of the page (axe `landmark-no-duplicate-banner`).
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
  },
});

/** The library's grey of lesser texts has too little contrast (WCAG 1.4.3). */
const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': 'var(--mantine-color-gray-7)' },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-dark-1)' },
});

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <LanguageProvider>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </LanguageProvider>
    </MantineProvider>
  </StrictMode>,
);
