import { useState } from 'preact/hooks'
import { status } from '../api/session.ts'
import { texts } from '../texts/texts.ts'
import { type ApiCall, type CodeLanguage, codeLanguages, codeText } from './code-text.ts'
import { CopyButton } from './copy-button.tsx'
import { Tabs } from './tabs.tsx'

export interface CodeDrawerProps {
  readonly title?: string
  readonly call: ApiCall
  /** A secret that was just made; otherwise the code reads it from the environment. */
  readonly secret?: string
}

/** The same request as code, folded away until it is wanted. */
export function CodeDrawer({ title = texts.shared.code, call, secret }: CodeDrawerProps) {
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const baseUrl = `${status.value?.base_url ?? location.origin}/v1`
  const code = codeText(language, call, { baseUrl, key: secret })
  return (
    <details class="code-drawer">
      <summary>{title}</summary>
      <Tabs label={texts.shared.languages} value={language} choices={codeLanguages} onChange={setLanguage}>
        <CopyButton text={code} what={codeLanguages[language]} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
        <pre tabIndex={0}>
          <code>{code}</code>
        </pre>
        {secret === undefined && <p class="hint">{texts.shared.keyPlace}</p>}
      </Tabs>
    </details>
  )
}
