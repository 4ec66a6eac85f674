import { useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import type { ApiCall } from './code-text.ts'
import { later } from './later.tsx'

const CodeTabs = later(() => import('./code-tabs.tsx').then((loaded) => loaded.CodeTabs))

interface CodeDrawerProps {
  readonly title?: string
  readonly call: ApiCall
  /** New secret to put into the code, which otherwise reads it from the environment */
  readonly secret?: string
}

/** Shows the same request as code, folded by default. */
export function CodeDrawer({ title = texts.shared.code, ...shown }: CodeDrawerProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="code-drawer" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <CodeTabs {...shown} />}
    </details>
  )
}
