/** Account: name, address, password, signed-in browsers, and the look of the pages. */

import { perform, useResult } from '../../api/own-operation.ts'
import { me, refreshMe } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { ConfirmAddress } from '../../parts/confirm-address.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { hasLimits, LimitFigures } from '../../parts/limits.tsx'
import { Page } from '../../parts/page.tsx'
import { ProviderLinking } from '../../parts/provider-links.tsx'
import { Select } from '../../parts/select.tsx'
import { applyTimeFormat, type TimeFormat, timeFormat, timeFormats } from '../../parts/time-format.ts'
import { texts } from '../../texts/texts.ts'
import { applyTheme, type Theme, theme } from '../../theme/theme.ts'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export default function OwnAccount() {
  const own = me.value
  return (
    <Page title={texts.ownAccount.title} intro={texts.ownAccount.intro}>
      <div class="stack">
        <ConfirmAddress />
        <div class="cards">
          <section class="card stack">
            <h2>{texts.ownAccount.profile}</h2>
            <Profile />
          </section>
          <section class="card stack">
            <h2>{texts.ownAccount.passwordTitle}</h2>
            <PasswordForm />
          </section>
          <OwnLimits />
          {own !== undefined && own.secondFactor !== 'not-offered' && <SecondFactor own={own} />}
          <ProviderLinking linked={own?.providers ?? []} />
          <section class="card stack">
            <h2>{texts.ownAccount.dataTitle}</h2>
            <p>{texts.ownAccount.dataText}</p>
            <p>
              <a class="button" download href="/dashboard/api/export">
                {texts.ownAccount.download}
              </a>
            </p>
          </section>
        </div>
        <Sessions />
      </div>
    </Page>
  )
}

/** Shows the account's limits with what is left. Shows nothing where none are set. */
function OwnLimits() {
  const { data: state } = useResult('limits-show', {})
  if (state === undefined || !hasLimits(state)) return null
  return (
    <section class="card stack">
      <h2>{texts.limits.title}</h2>
      <LimitFigures state={state} />
    </section>
  )
}

function Profile() {
  const own = me.value
  if (own === undefined) return null
  return (
    <>
      <Form
        button={texts.ownAccount.saveName}
        onSend={async (field) => {
          await perform('accounts-rename-own', { name: field('name') })
          announce(texts.ownAccount.renamed)
          await refreshMe()
        }}
      >
        <Field
          label={texts.ownAccount.name}
          name="name"
          autoComplete="name"
          defaultValue={own.name}
          maxLength={100}
          required
        />
      </Form>
      <p>
        <span class="muted">{texts.ownAccount.email}</span> {own.email ?? texts.ownAccount.noEmail}{' '}
        {own.email !== null && (
          <span class={own.isConfirmed ? 'badge ok' : 'badge warn'}>
            {own.isConfirmed ? texts.ownAccount.confirmed : texts.ownAccount.unconfirmed}
          </span>
        )}
      </p>
      <Select<Theme> label={texts.shell.theme} value={theme.value} choices={texts.shell.themes} onChange={applyTheme} />
      <Select<TimeFormat>
        label={texts.ownAccount.timeFormat}
        value={timeFormat.value}
        choices={texts.ownAccount.timeFormats}
        order={timeFormats}
        onChange={applyTimeFormat}
      />
    </>
  )
}
