import { useState } from 'preact/hooks'
import { perform } from '../../api/own-operation.ts'
import { serverAddress, status } from '../../api/session.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Form } from '../../parts/form.tsx'
import { Page } from '../../parts/page.tsx'
import { SecretBox } from '../../parts/secret-box.tsx'
import { texts } from '../../texts/operator-texts.ts'

/** Shows the first steps after an operator's sign-in. */
export function Ready() {
  const words = texts.setup.ready
  const address = `${serverAddress()}/v1`
  const model = status.value?.example_model ?? null
  return (
    <Page title={words.title} intro={words.intro}>
      <div class="card stack setup-card">
        <section>
          <h2>{words.address}</h2>
          <p class="row">
            <code>{address}</code> <CopyButton text={address} what={words.address} />
          </p>
        </section>
        <section>
          <h2>{words.key}</h2>
          <FirstKey />
        </section>
        {model !== null && (
          <section>
            <h2>{words.model}</h2>
            <p>
              <a href={`/dashboard/chat?model=${encodeURIComponent(model)}`}>{words.tryIt}</a>{' '}
              <span class="muted">{model}</span>
            </p>
          </section>
        )}
        <div class="actions">
          <a class="button primary" href="/admin">
            {words.toOverview}
          </a>
        </div>
      </div>
    </Page>
  )
}

/** Creates a key on demand: an operator who lost a password already has keys. */
function FirstKey() {
  const [secret, setSecret] = useState<string>()
  const [isStored, setIsStored] = useState(false)
  const words = texts.setup.ready
  if (secret !== undefined) return <SecretBox label={words.keyLabel} {...{ secret, isStored }} onStored={setIsStored} />
  return (
    <>
      <p class="hint">{words.keyHint}</p>
      <Form
        button={words.makeKey}
        onSend={async () => {
          setSecret((await perform('keys-create', { name: words.keyName })).key)
        }}
      >
        {null}
      </Form>
    </>
  )
}
