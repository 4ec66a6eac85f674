import type { OperationJson } from '../../../src/operations/money-text.ts'
import { perform, useResult } from '../../api/operation.ts'
import { mayPerform } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { alarm, announce } from '../../parts/announce.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { pageQuery } from '../../parts/pager.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/receivers-texts.ts'

type Answer = OperationJson<'webhooks-list'>

/** Polling interval. Events and records leave the server at times that the page does not know. */
const everyMs = 10_000

/** Shows who gets events and records of this server, and the latest events. */
export function ReceiversTab() {
  const answer = useResult('webhooks-list', pageQuery(), { everyMs })
  const words = texts.receivers
  const test = async (webhook: string) => {
    const { isTaken, failure } = await perform('webhooks-test', { webhook })
    if (isTaken) announce(words.tested(webhook))
    else alarm(words.notTaken(webhook, failure ?? ''))
    await answer.reload()
  }
  return (
    <Loaded answer={answer} lines={8}>
      {({ webhooks, receivers, deliveries }) =>
        webhooks.length + receivers.length === 0 ? (
          <Empty text={words.none} />
        ) : (
          <div class="stack">
            {receivers.length > 0 && <Receivers rows={receivers} />}
            {webhooks.length > 0 && <WebhookTable rows={webhooks} onTest={test} />}
            {deliveries.length > 0 && <Deliveries rows={deliveries} />}
          </div>
        )
      }
    </Loaded>
  )
}

function Receivers({ rows }: { readonly rows: Answer['receivers'] }) {
  const words = texts.receivers
  return (
    <section>
      <h2>{words.records}</h2>
      <Table
        caption={words.records}
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { title: words.receiver, cell: ({ name }) => name },
          {
            title: words.state,
            cell: ({ failure }) => (
              <StateWord tone={failure == null ? 'ok' : 'bad'} word={failure == null ? words.works : failure.reason} />
            ),
          },
          { title: words.sent, isNumber: true, cell: ({ sent }) => sent.toLocaleString('en') },
          { title: words.waiting, isNumber: true, cell: ({ waiting }) => waiting.toLocaleString('en') },
          { title: words.dropped, isNumber: true, cell: ({ dropped }) => dropped.toLocaleString('en') },
        ]}
      />
    </section>
  )
}

interface WebhookTableProps {
  readonly rows: Answer['webhooks']
  readonly onTest: (webhook: string) => Promise<void>
}

function WebhookTable({ rows, onTest }: WebhookTableProps) {
  const words = texts.receivers
  const action = {
    title: words.actions,
    cell: ({ name }: Answer['webhooks'][number]) => (
      <ActionButton class="small" onAct={() => onTest(name)}>
        {words.test} <span class="unseen">{name}</span>
      </ActionButton>
    ),
  }
  return (
    <section>
      <h2>{words.webhooks}</h2>
      <Table
        caption={words.webhooks}
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { title: words.webhook, cell: ({ name }) => name },
          { title: words.address, cell: ({ address }) => address },
          { title: words.events, cell: ({ events }) => events.join(', ') },
          { title: words.waiting, isNumber: true, cell: ({ waiting }) => waiting },
          ...(mayPerform('webhooks-test') ? [action] : []),
        ]}
      />
    </section>
  )
}

function Deliveries({ rows }: { readonly rows: Answer['deliveries'] }) {
  const words = texts.receivers
  return (
    <section>
      <h2>{words.deliveries}</h2>
      <Table
        caption={words.deliveries}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          { title: words.webhook, cell: ({ webhook }) => webhook },
          { title: words.event, cell: ({ type }) => type },
          { title: words.age, cell: ({ createdMs }) => <Time at={createdMs} /> },
          { title: words.attempts, isNumber: true, cell: ({ attempts }) => attempts },
          { title: words.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
        ]}
      />
    </section>
  )
}

function DeliveryState({ delivery }: { readonly delivery: Answer['deliveries'][number] }) {
  const { deliveredMs, nextAttemptMs, failure } = delivery
  const words = texts.receivers
  if (deliveredMs !== null) return <StateWord tone="ok" word={words.taken} />
  if (nextAttemptMs === null) return <StateWord tone="bad" word={words.givenUp(failure ?? '')} />
  return <StateWord tone="waiting" word={failure === null ? words.due : words.again(failure)} />
}
