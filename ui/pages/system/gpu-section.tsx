import { perform, useResult } from '../../api/operation.ts'
import { mayPerform } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Table } from '../../parts/table.tsx'
import { texts } from '../../texts/system-texts.ts'

/** Shows the libraries that engines compute with, the reason if one fails, and a button that probes all again. */
export function GpuSection() {
  const answer = useResult('gpu-report', mayPerform('gpu-report', 'try') ? { try: true } : {})
  const words = texts.system
  return (
    <section class="stack">
      <h2>{words.backends}</h2>
      <div>
        <May perform="gpu-probe">
          <ActionButton
            title={words.probeText}
            onAct={async () => {
              await perform('gpu-probe', {})
              await answer.reload()
              announce(words.probed)
            }}
          >
            <Icon name="rotate-cw" /> {words.probe}
          </ActionButton>
        </May>
      </div>
      <Loaded answer={answer} lines={3}>
        {(backends) => (
          <Table
            caption={words.backends}
            rows={backends}
            rowKey={({ kind, id }) => `${kind} ${id}`}
            columns={[
              { title: words.backend, cell: ({ label }) => <b>{label}</b> },
              {
                title: words.verdict,
                cell: ({ verdict: { state } }) => (
                  <span class={`verdict ${verdictClasses[state]}`}>{words.backendStates[state]}</span>
                ),
              },
              { title: words.engine, cell: ({ kind }) => words.engines[kind] },
              {
                ...{ title: words.finding, isOptional: true },
                cell: ({ verdict }) => {
                  if (verdict.state === 'fails') return verdict.reason
                  if (verdict.state === 'trying') return verdict.compiles ? words.compiling : ''
                  return verdict.state === 'computes' ? verdict.devices.map(({ name }) => name).join(', ') : ''
                },
              },
              {
                ...{ title: words.advice, isOptional: true },
                cell: ({ verdict }) => (verdict.state === 'fails' ? verdict.nextStep : ''),
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  )
}

const verdictClasses = {
  computes: 'ok',
  fails: 'bad',
  'no-device': 'muted',
  untried: 'muted',
  trying: 'unknown',
} as const
