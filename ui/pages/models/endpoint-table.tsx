/** Endpoints of an upstream model: their states, and which get no further requests. */
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { offlineSinceMs } from '../../api/connection.ts'
import { asFailure } from '../../api/failure.ts'
import { perform, useResult } from '../../api/operation.ts'
import { alarm, announce } from '../../parts/announce.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { type StateTone, StateWord } from '../../parts/state-word.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'

type Endpoint = OperationJson<'endpoints-list'>['endpoints'][number]

const tones: Readonly<Record<Endpoint['state'], StateTone>> = {
  ...{ closed: 'ok', 'half-open': 'busy', probing: 'busy', open: 'bad', draining: 'waiting', 'out-of-use': 'bad' },
}

export function EndpointTable({ model }: { readonly model: string }) {
  const answer = useResult('endpoints-list', { model }, { everyMs: 5_000 })
  const words = texts.model
  const { endpointColumns: titles } = words

  const setDraining = async ({ url }: Endpoint, isDraining: boolean) => {
    try {
      await perform(isDraining ? 'endpoints-drain' : 'endpoints-resume', { model, endpoint: url })
      announce(isDraining ? words.isDrained(url) : words.isResumed(url))
    } catch (error) {
      alarm(texts.models.failedFor(url, asFailure(error).message))
    }
    void answer.reload()
  }

  return (
    <section>
      <h2>{words.endpoints}</h2>
      <Loaded answer={answer}>
        {({ endpoints }) => (
          <Table
            caption={words.endpoints}
            columns={[
              { title: titles.url, cell: ({ url }) => <code>{url}</code> },
              { title: titles.state, cell: stateCell },
              { title: titles.running, isNumber: true, cell: ({ outstanding }) => outstanding },
              { title: titles.served, isNumber: true, cell: ({ served }) => served },
              { title: titles.failed, isNumber: true, cell: ({ failed }) => failed },
              { title: titles.refused, isNumber: true, cell: ({ refused }) => refused },
              { title: titles.lastFailure, cell: lastFailureCell },
              {
                title: titles.actions,
                cell: (row) => (
                  <May perform="endpoints-drain">
                    <DrainButton endpoint={row} onChoose={(isDraining) => void setDraining(row, isDraining)} />
                  </May>
                ),
              },
            ]}
            rows={endpoints}
            rowKey={({ url }) => url}
          />
        )}
      </Loaded>
    </section>
  )
}

function stateCell({ state, outstanding, outOfUse, retryInMs }: Endpoint) {
  const words = texts.model.endpointStates
  const word = state === 'draining' && outstanding === 0 ? words.drained : words[state]
  const more =
    outOfUse ?? (retryInMs === null || retryInMs === 0 ? '' : texts.model.retryIn(Math.ceil(retryInMs / 1000)))
  return (
    <>
      <StateWord tone={tones[state]} word={word} />
      {more !== '' && <span class="sub">{more}</span>}
    </>
  )
}

function lastFailureCell({ lastFailure }: Endpoint) {
  if (lastFailure === null) return ''
  return (
    <>
      {lastFailure.reason}
      <span class="sub">
        <Time at={lastFailure.atMs} />
      </span>
    </>
  )
}

interface DrainButtonProps {
  readonly endpoint: Endpoint
  readonly onChoose: (isDraining: boolean) => void
}

function DrainButton({ endpoint: { state, url }, onChoose }: DrainButtonProps) {
  const isDraining = state === 'draining'
  const { drain, resume } = texts.model
  const isOffline = offlineSinceMs.value !== undefined
  return (
    <button type="button" class="small" disabled={isOffline} onClick={() => onChoose(!isDraining)}>
      {isDraining ? resume : drain} <span class="unseen">{url}</span>
    </button>
  )
}
