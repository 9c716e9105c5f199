import { Button, Group, Loader } from '@mantine/core';
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { useLanguage } from './language.tsx';
import { Section } from './page.tsx';
import { RefusedPart } from './refused-part.tsx';

interface FoldedSectionProps {
  title: string;
  /** What is seen while the section is closed. */
  summary?: ReactNode;
  children: ReactNode;
}

/** A section whose content is read when it is opened: the audit records each read of a person's data. */
export function FoldedSection({ title, summary, children }: FoldedSectionProps) {
  const { words } = useLanguage();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section
      title={title}
      actions={
        <Group gap="xs">
          {summary}
          <Button variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? words.close : words.open}
          </Button>
        </Group>
      }
    >
      {isOpen && (
        // A part that cannot be read leaves the others usable.
        <CatchBoundary getResetKey={() => title} errorComponent={RefusedPart}>
          <Suspense fallback={<Loader size="sm" />}>{children}</Suspense>
        </CatchBoundary>
      )}
    </Section>
  );
}
