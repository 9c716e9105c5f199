import { createTheme } from '@mantine/core';

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
  },
});
