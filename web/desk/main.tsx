import '@mantine/core/styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './router.tsx';
import { queries } from './shared/queries.ts';
import { LanguageProvider } from './shared/language.tsx';
import { cssVariables, theme } from './theme.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');

/** Browsers hide the attribute from scripts, and give the property (CSP 3, nonce hiding). */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Where the scroll lock of dialogs (`react-remove-scroll`) finds the nonce for its style element.
Object.assign(globalThis, { __webpack_nonce__: nonce });

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
