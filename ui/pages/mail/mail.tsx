/** Mail: the state of the mail server, and waiting mails, whose links the operator can hand over. */
import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { asFailure } from '../../api/failure.ts'
import { perform, type Rows, useResult } from '../../api/operation.ts'
import { alarm, announce } from '../../parts/announce.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { MailTable } from './mail-table.tsx'

type Mail = Rows<'outbox-list'>

/** Polling interval. The server retries mails at times that the page does not know. */
const everyMs = 10_000

export default function MailPage() {
  const words = texts.mail
  const status = useResult('mail-status', {}, { everyMs })
  const isWaiting = place.value.query.get('tab') !== 'all'
  const answer = useResult('outbox-list', { isWaiting, ...pageQuery() }, { everyMs })
  const [opening, setOpening] = useState<Mail>()
  const [opened, setOpened] = useState<{ readonly address: string; readonly link: string }>()

  const retry = async (mail: Mail) => {
    await perform('outbox-retry', { mail: mail.id }).then(
      () => announce(words.trying(mail.address)),
      (error) => alarm(asFailure(error).message),
    )
    await answer.reload()
  }
  return (
    <Page title={words.title} intro={words.intro}>
      <div class="stack">
        <Loaded answer={status}>{(state) => <MailServer status={state} />}</Loaded>
        <Tabs
          label={words.tabsLabel}
          value={isWaiting ? 'waiting' : 'all'}
          choices={words.tabs}
          onChange={(next) => setQuery({ tab: next === 'all' ? 'all' : undefined, before: undefined })}
        >
          <Loaded answer={answer}>
            {(rows) =>
              rows.length === 0 ? (
                <Empty text={isWaiting ? words.empty : words.none}>
                  {isWaiting && (
                    <button type="button" onClick={() => setQuery({ tab: 'all', before: undefined })}>
                      {words.showSent}
                    </button>
                  )}
                </Empty>
              ) : (
                <>
                  <MailTable
                    rows={shownRows(rows)}
                    canSend={status.data?.server.kind !== 'off'}
                    onOpen={setOpening}
                    onRetry={(mail) => void retry(mail)}
                  />
                  <Pager rows={rows} idOf={({ id }) => id} />
                </>
              )
            }
          </Loaded>
        </Tabs>
      </div>
      {opening !== undefined && (
        <FormDialog
          title={words.linkAskTitle(opening.address)}
          text={words.linkAskText}
          button={words.copyLink}
          onClose={() => setOpening(undefined)}
          onSend={async () => {
            setOpened(await perform('outbox-open', { mail: opening.id }))
            setOpening(undefined)
            void answer.reload()
          }}
        />
      )}
      {opened !== undefined && (
        <SecretDialog
          title={words.linkTitle(opened.address)}
          text={words.linkText}
          label={words.link}
          secret={opened.link}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Page>
  )
}

function MailServer({ status: { server, sender } }: { readonly status: OperationJson<'mail-status'> }) {
  const words = texts.mail
  const tone = { off: 'muted', unknown: 'muted', working: 'ok', failing: 'bad' }[server.kind]
  return (
    <section class="card stack at-start">
      <p class={tone}>
        {words.states[server.kind]}
        {'sinceMs' in server && (
          <>
            {' '}
            ({words.since} <Time at={server.sinceMs} />)
          </>
        )}
      </p>
      {'failure' in server && <p class="bad">{server.failure}</p>}
      {server.kind !== 'off' && (
        <May perform="mail-test">
          <Form
            button={words.test}
            onSend={async (field) => {
              const to = field('to')
              const { address } = await perform('mail-test', to === '' ? {} : { to })
              announce(words.tested(address))
            }}
          >
            <Field label={words.testTo} name="to" hint={words.testHint(sender ?? '')} maxLength={320} />
          </Form>
        </May>
      )}
    </section>
  )
}
