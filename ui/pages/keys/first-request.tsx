import { serverAddress, status } from '../../api/session.ts'
import { CodeTabs } from '../../parts/code-tabs.tsx'
import { exampleCall } from '../../parts/code-text.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { texts } from '../../texts/texts.ts'

/** Shows what a program needs beside a key: the address, and runnable code. */
export function FirstRequest() {
  const baseUrl = `${serverAddress()}/v1`
  const model = status.value?.example_model
  return (
    <section class="card stack">
      <h2>{texts.keys.startTitle}</h2>
      <div class="row">
        <span class="muted">{texts.keys.baseUrl}</span> <code>{baseUrl}</code>
        <CopyButton text={baseUrl} what={texts.keys.baseUrl} />
      </div>
      <CodeTabs call={exampleCall(model)} />
      {model === null && <p class="hint">{texts.keys.noModel}</p>}
    </section>
  )
}
