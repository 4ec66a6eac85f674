import { useState } from 'preact/hooks'
import { serverAddress } from '../api/session.ts'
import { texts } from '../texts/texts.ts'
import { type ApiCall, bodyFile, type CodeLanguage, codeLanguages, codeText, largeBody } from './code-text.ts'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'
import { LongText } from './long-text.tsx'
import { saveText } from './save-text.ts'
import { Tabs } from './tabs.tsx'

interface CodeTabsProps {
  readonly call: ApiCall
  /** New secret to put into the code, which otherwise reads it from the environment */
  readonly secret?: string
}

/** Shows a request as code in all supported languages. */
export function CodeTabs({ call, secret }: CodeTabsProps) {
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const baseUrl = `${serverAddress()}/v1`
  const code = codeText(language, call, { baseUrl, key: secret })
  const large = language === 'curl' ? undefined : largeBody(call)
  return (
    <Tabs label={texts.shared.languages} value={language} choices={codeLanguages} onChange={setLanguage}>
      <div class="row">
        <CopyButton text={code} what={codeLanguages[language]} />
        {large !== undefined && (
          <button type="button" class="small" onClick={() => saveText(bodyFile, large, 'application/json')}>
            <Icon name="download" /> {texts.shared.download(bodyFile)}
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre tabIndex={0}>
        <code>
          <LongText text={code} isCut />
        </code>
      </pre>
      {secret === undefined && <p class="hint">{texts.shared.keyPlace}</p>}
    </Tabs>
  )
}
