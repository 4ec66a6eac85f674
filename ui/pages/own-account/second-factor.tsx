import { useState } from 'preact/hooks'
import { perform } from '../../api/own-operation.ts'
import { type Me, refreshMe } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { CodeField } from '../../parts/code-field.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { texts } from '../../texts/texts.ts'

const words = texts.ownAccount

/** Sets up or removes the second factor of the own sign-in. */
export function SecondFactor({ own }: { readonly own: Me }) {
  const [secret, setSecret] = useState<string>()
  const isOn = own.secondFactor === 'on'
  return (
    <section class="card stack">
      <h2>{words.factorTitle}</h2>
      {own.secondFactor === 'required' && <p role="alert">{words.factorRequired}</p>}
      <p class="muted">{isOn ? words.factorOn : words.factorOff}</p>
      {isOn && <Remove />}
      {!isOn && secret === undefined && <Begin onBegun={setSecret} />}
      {!isOn && secret !== undefined && <Confirm secret={secret} own={own} onDone={() => setSecret(undefined)} />}
    </section>
  )
}

function Begin({ onBegun }: { readonly onBegun: (secret: string) => void }) {
  return (
    <Form
      button={words.factorBegin}
      onSend={async (field) => onBegun((await perform('second-factor-begin', { current: field('current') })).secret)}
    >
      <CurrentPassword />
    </Form>
  )
}

interface ConfirmProps {
  readonly secret: string
  readonly own: Me
  readonly onDone: () => void
}

function Confirm({ secret, own, onDone }: ConfirmProps) {
  return (
    <>
      <p>{words.factorScan}</p>
      <QrCode content={appAddress(secret, own.email ?? own.name)} label={words.factorQr} />
      <p class="row">
        <code class="whole">{secret}</code> <CopyButton text={secret} what={words.factorSecret} />
      </p>
      <Form
        button={words.factorConfirm}
        onSend={async (field) => {
          await perform('second-factor-confirm', { code: field('code') })
          announce(words.factorDone)
          await refreshMe()
          onDone()
        }}
      >
        <CodeField />
      </Form>
    </>
  )
}

function Remove() {
  return (
    <Form
      button={words.factorRemove}
      isDangerous
      onSend={async (field) => {
        await perform('second-factor-remove', { current: field('current'), code: field('code') })
        announce(words.factorRemoved)
        await refreshMe()
      }}
    >
      <CurrentPassword />
      <CodeField />
    </Form>
  )
}

function CurrentPassword() {
  return <Field label={words.current} name="current" type="password" autoComplete="current-password" required />
}

/** Returns the address that authenticator apps read from a QR code. It names this server and the account. */
function appAddress(secret: string, account: string): string {
  const issuer = encodeURIComponent(`inferd ${location.hostname}`)
  return `otpauth://totp/${issuer}:${encodeURIComponent(account)}?secret=${secret}&issuer=${issuer}`
}
